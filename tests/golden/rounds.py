"""The golden rounds: what happened at the table, one function a journal."""

from collections.abc import Callable
from dataclasses import replace

from pitledger.journal.record import JournalRecord, Stored, serialize
from tests.kit.house import House
from tests.kit.table import AUTOMATED, HI_LO, SAIGON, Table, cards

ROUNDS: dict[str, Callable[[], Table]] = {}


def golden(build: Callable[[], Table]) -> Callable[[], Table]:
    ROUNDS[build.__name__] = build
    return build


def recorded(name: str, version: int = 1) -> list[Stored]:
    """The journal of a golden round, facts and decisions, as the four processors write it."""
    table = ROUNDS[name]()
    for records in table.log.records:
        records[:] = [_under(version, stored) for stored in records]
    return House(table).run().log.all()


@golden
def saigon_example_of_the_regulation() -> Table:
    """Joker, 8, 6, 5, 2; bonus and pot; a stub count that adds up."""
    table = _wagered(SAIGON, {1: {"ante": 2500, "bonus": 500}, 2: {"ante": 1000}}, pot=1000)
    table.deal("Jk 8c 6d 5s 2h", "Kc Kd 9h 9s 4c", "Qc Qd Jh 3s 4d")
    table.stub(38)
    table.set(1, "Jk 5s 6d", "8c 2h")
    table.set(2, "Kc Kd 9h", "9s 4c")
    return _paid(table)


@golden
def saigon_half_pay_on_an_odd_stake() -> Table:
    """Point Count 5 pays 1 to 2, rounded down; another position loses; a hand set by rule."""
    table = _wagered(SAIGON, {1: {"ante": 501}, 3: {"ante": 777, "bonus": 101}})
    table.deal("Tc Td Th 2c 3c", "Jc Jd Jh 2d Ad", "Qc Qd Qh 2s 2h")
    table.set(1, "Tc Td Th", "2c 3c")
    table.set(3, "Jc Jd Jh", "2d Ad")
    return _paid(table)


@golden
def saigon_nobody_qualifies() -> Table:
    table = _wagered(SAIGON, {2: {"ante": 5000}, 6: {"ante": 600}}, method=AUTOMATED)
    hands = ("Ac Ad 2c 2d 3h", "Ah As 2h 2s 3c", "4c 4d 5c 4h 4s")
    _packets(table, hands)
    table.set_all()
    return _paid(table)


@golden
def saigon_five_aces_meet_the_payout_limit() -> Table:
    table = _wagered(SAIGON, {1: {"ante": 900_000, "bonus": 10_000}, 2: {"ante": 800_000}})
    table.deal("Ac Ad Ah As Jk", "Tc Td Th 4c 5c", "9c 9d 2h 3s 7d")
    table.set(1, "Ac Ad Ah", "As Jk")
    table.set(2, "Tc Td Th", "4c 5c")
    return _paid(table)


@golden
def saigon_pot_shared_by_three_with_a_remainder() -> Table:
    wagers = {position: {"ante": 1000} for position in (1, 2, 4, 5)}
    table = _wagered(SAIGON, wagers, pot=1003)
    table.deal("Tc Td Th 4c 5c", "Jc Jd Jh 4d 5d", "Qc Qd Qh 4h 5h", "Kc Kd Kh 2c 2d",
               "7c 6d 7h 8s 9d")
    table.set_all()
    return _paid(table)


@golden
def saigon_card_corrected_after_the_exposure() -> Table:
    """A duplicate at the deal is corrected; another card after the payout: revision 4 is paid."""
    table = _wagered(SAIGON, {1: {"ante": 1000}, 2: {"ante": 2000, "bonus": 300}})
    table.deal("Tc Td Th 4c 5c", "Jc Jd Jh 2c Tc", "Qc Qd Qh 3c 3d")
    table.correct(14, "2d")
    table.hands[2] = cards("Jc Jd Jh 2c 2d")
    table.set_all()
    table.expose("Qc Qd Qh", "3c 3d")
    table.paid(1, amount=1000)
    table.correct(13, "Ks")
    table.close_round(1)
    table.close_round(4)
    table.close_round(3)
    return table


@golden
def saigon_dead_hand_and_abandoned_hand() -> Table:
    """One position void, one left and ruled losing: its stake stays in the Pot."""
    wagers = {position: {"ante": 1500} for position in (1, 2, 3)}
    table = _wagered(SAIGON, wagers, pot=500)
    table.deal("Tc Td Th 4c 5c", "Jc Jd Jh 4d 6d", "Qc Qd Qh 4h 5h", "Kc Kd Kh 2c 2d")
    table.report(1, position=1)
    table.void(1)
    table.left(2)
    table.set(3)
    table.expose()
    table.abandon(2, 2)
    return _closed(table, revision=3)


@golden
def saigon_void_after_the_payout() -> Table:
    table = _wagered(SAIGON, {1: {"ante": 1000, "bonus": 100}, 2: {"ante": 1000}}, pot=700)
    table.deal("Tc Td Th 4c 5c", "Jc Jd Jh 4d 6d", "Kc Kd Kh 2c 2d")
    table.note_conduct(2)
    table.set_all()
    table.expose()
    table.void()
    table.close_round()
    return table


@golden
def saigon_misset_foul_and_late_requests() -> Table:
    """Refusals of every station; a hand that qualifies, set so that it does not."""
    table = Table(SAIGON)
    table.open((1, 2, 3))
    table.wager(1, ante=600_000)
    table.wager(1, ante=600_000)
    table.wager(1, ante=-5, tie=100)
    table.wager(2, ante=400)
    table.wager(3, ante=1000, instrument="verbal_with_cash")
    table.wager(3, ante=1000, bonus=50)
    table.wager(3, patron="p1", ante=1000)
    table.withdraw(2, "bonus")
    table.no_more_bets()
    table.wager(2, ante=500)
    table.set(3, "Kc Kd Kh", "2c 2d")
    table.seats = {1: "p1", 3: "p3"}
    table.deal("Tc Td Th 4c 5c", "7c 6d 7h 8s 9d", "Kc Kd Kh 2c 2d")
    table.set(3)
    table.set(1, "4c 5c Tc", "Td Th")
    table.set(1, "Tc Td Th", "4c 5c")
    return _paid(table)


@golden
def saigon_console_forgot_the_close() -> Table:
    """The next round settles what is due; the table's end voids what is not."""
    table = _wagered(SAIGON, {1: {"ante": 1000}})
    table.deal("Tc Td Th 4c 5c", "Kc Kd Kh 2c 2d")
    table.set_all()
    table.expose()
    table.open((1, 2))
    table.wager(2, ante=700)
    table.close_table()
    return table


@golden
def hi_lo_both_tie_and_a_poker_bonus() -> Table:
    table = _wagered(HI_LO, {
        1: {"ante": 1000, "tie": 200, "poker_bonus": 300}, 4: {"ante": 2500, "poker_bonus": 100}})
    table.deal("Tc 6c 5c 9c 8c", "Kc Kd 2h 7s 7d", "Td 6d 5d 9d 8d")
    table.set(1, "Tc 6c 5c", "9c 8c")
    table.set(4, "Kc 2h 7s", "Kd 7d")
    return _paid(table)


@golden
def hi_lo_foul_hand_and_a_hand_nobody_set() -> Table:
    """Exposed early and ruled to stand: one hand was set foul, one is set by the house way."""
    table = _wagered(HI_LO, {2: {"ante": 1000, "tie": 100, "poker_bonus": 100}, 3: {"ante": 500}})
    table.deal("Kc Kd Qh 2s 3d", "9c 9d 4h 5s As", "Jd Jc 7d 3h 6d")
    table.set(2, "Kc Kd Qh", "2s 3d")
    table.expose()
    table.rule_deal()
    return _closed(table, revision=3)


@golden
def hi_lo_two_adjacent_hands_of_one_patron() -> Table:
    """Set out of order, then in order; packets of five; a Tie that stood without its Ante."""
    table = Table(HI_LO, adjacent_positions=True)
    table.open({1: "ann", 2: "ann", 5: "bob"}, method=AUTOMATED)
    table.wager(1, ante=500, tie=500)
    table.wager(2, ante=900)
    table.wager(5, tie=400)
    table.no_more_bets()
    table.seats.pop(5)
    _packets(table, ("Ac Kd 9h 4s 2d", "Qc 8d 7h 3s 5d", "Ts 6s Js As 4c"))
    table.set(1)
    table.set(2)
    table.set(1)
    return _paid(table)


@golden
def hi_lo_joker_among_the_cards() -> Table:
    """No card of this deck: no ruling while it lies there; the correction mends the deal."""
    table = _wagered(HI_LO, {1: {"ante": 1000}})
    table.deal("Ac Kd 9h 4s Jk", "Qc 8d 7h 3s 5d")
    table.rule_deal()
    table.correct(9, "6h")
    table.hands[1] = cards("Ac Kd 9h 4s 6h")
    table.set_all()
    table.expose("8d 7h 5d", "Qc 3s")
    return _closed(table, revision=2)


def _under(version: int, stored: Stored) -> Stored:
    """The same fact in a round of this adjudication version."""
    record = JournalRecord.FromString(stored.value)
    if record.WhichOneof("body") == "round_opened":
        record.round_opened.adjudication_version = version
    return replace(stored, value=serialize(record))


def _wagered(game: str, wagers: dict[int, dict[str, int]], **terms) -> Table:
    table = Table(game)
    table.open(tuple(wagers), **terms)
    for position, kinds in wagers.items():
        pot = {"pot": terms["pot"]} if "pot" in terms else {}
        table.wager(position, **kinds, **pot)
    table.no_more_bets()
    return table


def _packets(table: Table, hands: tuple[str, ...]) -> None:
    order = (*sorted(table.seats), 0)
    table.hands = dict(zip(order, map(cards, hands), strict=True))
    for number, position in enumerate(order, 1):
        table.packet(number, table.hands[position])


def _paid(table: Table) -> Table:
    table.expose()
    return _closed(table)


def _closed(table: Table, revision: int = 1) -> Table:
    for position in table.seats:
        table.paid(position)
    table.close_round(revision)
    return table
