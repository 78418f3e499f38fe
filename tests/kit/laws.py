"""What holds of every journal, whatever happened on the way to it."""

from collections import Counter

from pitledger.journal.record import DECISION_TYPES, JournalRecord
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2
from pitledger.replay import replay_all
from tests.kit.log import Log
from tests.kit.reading import Reading, read


def recorded(log: Log) -> Counter:
    """(event id, bytes) of every decision record -> how often it lies on the log."""
    return Counter(
        (dict(s.headers)["ce_id"].decode(errors="replace"), s.value)
        for s in log.all()
        if dict(s.headers).get("ce_type") in DECISION_TYPES
    )


def derived(reading: Reading) -> set:
    return {(d.event_id, d.value) for d in reading.decisions}


def check_complete(log: Log, forged: set[bytes] = frozenset()) -> Reading:
    """All that the facts derive is recorded, and nothing else but what was forged."""
    reading = read(log)
    stuck = {round_id for round_id, _ in reading.stuck}
    due = {(d.event_id, d.value) for d in reading.decisions if d.round_id not in stuck}
    on_log = set(recorded(log))
    assert due <= on_log, f"{len(due - on_log)} decisions are missing"
    alien = {entry for entry in on_log - derived(reading) if entry[1] not in forged}
    assert not alien, f"{len(alien)} decisions that no fact derives"
    return reading


def check_outcomes(reading: Reading) -> None:
    """Every round that ended has one outcome, every one that is open has none."""
    outcomes = Counter(
        d.round_id for d in reading.decisions if d.body in ("round_settled", "round_voided"))
    stuck = {round_id for round_id, _ in reading.stuck}
    assert len(reading.opened) == len(set(reading.opened))
    for round_id in set(reading.opened) - stuck:
        assert outcomes[round_id] == (round_id in reading.ended)
    assert len({d.event_id for d in reading.decisions}) == len(reading.decisions)


def check_money(reading: Reading) -> None:
    """Zero sum, one line for each circle, payouts as booked, refunds to the cent."""
    closes: dict[str, pb.BettingClosed] = {}
    payouts: dict[str, pb.PayoutDue] = {}
    for decision in reading.decisions:
        record = JournalRecord.FromString(decision.value)
        match decision.body:
            case "betting_closed":
                closes[decision.round_id] = record.betting_closed
            case "payout_due":
                payouts[decision.round_id] = record.payout_due
                _check_lines(record.payout_due, closes[decision.round_id])
            case "round_settled":
                last = payouts[decision.round_id]
                assert record.round_settled.lines == last.lines
                assert record.round_settled.revision == last.revision
                _check_lines(record.round_settled, closes[decision.round_id])
            case "round_voided":
                _check_lines(record.round_voided, closes[decision.round_id])
                assert all(line.profit_minor == 0 for line in record.round_voided.lines)


def _check_lines(body, close: pb.BettingClosed) -> None:
    lines = {(line.position, line.kind): line for line in body.lines}
    assert len(lines) == len(body.lines)
    staked = {(c.position, c.kind): (c.stake_minor, list(c.wager_ids)) for c in close.circles}
    assert staked == {
        circle: (line.stake_minor, list(line.wager_ids)) for circle, line in lines.items()
    }
    for line in body.lines:
        assert line.returned_minor == line.stake_minor + line.profit_minor >= 0
    totals = body.totals
    assert totals.positions_net_minor == sum(line.profit_minor for line in body.lines)
    assert totals.positions_net_minor + totals.house_net_minor + totals.pot_net_minor == 0
    pot = [line for line in body.lines if line.counterparty == pb.COUNTERPARTY_POT]
    assert sum(line.profit_minor for line in pot) == 0 == totals.pot_net_minor
    assert all(line.kind == money_pb2.WAGER_KIND_POT for line in pot)


def check_replay(log: Log) -> None:
    """Replay finds every judged round identical."""
    for report in replay_all(log.all(), log.partitions):
        assert report.unjudged or report.identical, report.difference.text
