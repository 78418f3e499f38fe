"""The supervisor: mends a broken deal, rules, voids; sometimes without need."""

from pitledger.cards import FOREIGN, NO_CARD
from pitledger.pb import facts_pb2, rules_pb2
from services.floor.devices import Devices, RoundCut, Stage, Waiting
from services.floor.faults import Fault
from services.floor.pen import OutgoingFact
from services.floor.round_view import Moment, RoundView

_TRIES = 5
_READINGS = (
    rules_pb2.ABANDONMENT_READING_PLAYS,
    rules_pb2.ABANDONMENT_READING_LOSING,
    rules_pb2.ABANDONMENT_READING_RETURNED,
)


def mend(devices: Devices, view: RoundView) -> Stage:
    """Wait for the deal and correct or rule until it stands; raise RoundCut where it does not."""
    reading = view.reading
    for attempt in range(_TRIES):
        known = yield from devices.until(lambda: view.deal_revision > 0 or bool(reading.wrong()))
        if not known:
            break
        if view.deal_revision and not view.deal_regular:
            reading.silent.clear()  # now every card is looked at
        wrong = reading.wrong()
        if view.deal_regular and not wrong:
            return
        if not view.deal_regular:
            wrong = sorted({*wrong, *reading.doubtful})
        rules_first = attempt == 0 and devices.rng.random() < 0.2
        if wrong and attempt < 3 and not rules_first:
            yield from _correct(devices, view, {o: reading.truth.get(o, NO_CARD) for o in wrong})
        elif attempt < _TRIES - 1 and (
            yield from _ask(devices, view, [ruling(devices, view)])
        ):
            reading.stands()
    raise RoundCut


def intervene(devices: Devices, view: RoundView, moment: Moment) -> Waiting:
    """What a supervisor does at this moment; whether it may have changed the round."""
    due = [fault for fault, at in view.agenda.items() if at == moment]
    changed = False
    for fault in due:
        del view.agenda[fault]
        match fault:
            case Fault.MISREAD:
                changed |= bool(view.reading.silent)
                view.reading.silent.clear()
            case Fault.VOID_POSITION:
                position = devices.rng.choice(view.order)
                orders = [void(devices, view, position)
                          for _ in range(devices.rng.randrange(1, 3))]
                changed |= yield from _ask(devices, view, orders)
            case Fault.IRREGULARITY_REPORTED:
                before = view.deal_revision
                yield from devices.emit(view, [_report(devices, view)])
                yield from devices.until_deal(view, before + 1)
                changed = True
            case Fault.WRONG_CORRECTION:
                ordinal = devices.rng.choice(sorted(view.reading.truth))
                card = devices.rng.choice(view.deck)
                changed |= yield from _correct(devices, view, {ordinal: card})
            case _:
                changed |= yield from _ask(devices, view, _needless(devices, view))
    return changed


def void(devices: Devices, view: RoundView, position: int = 0) -> OutgoingFact:
    """The order to void a position, or (0) the round."""
    return devices.supervisor(view, "void_ordered", facts_pb2.VoidOrdered(
        position=position, reason="misdeal", authorised_by="supervisor-1",
        notified=["surveillance"],
    ))


def ruling(devices: Devices, view: RoundView) -> OutgoingFact:
    """That the deal stands as it is."""
    return devices.supervisor(view, "deal_ruled", facts_pb2.DealRuled(reason="nobody was harmed"))


def abandonment(devices: Devices, view: RoundView, position: int) -> list[OutgoingFact]:
    """Rulings on a player who left, until one is filed by the submission."""
    filed = list(devices.terms.filed.message.abandoned_wagers)
    readings = [devices.rng.choice(filed)]
    if devices.rng.random() < 0.3:
        readings.insert(0, devices.rng.choice(_READINGS))
    return [
        devices.supervisor(view, "abandonment_ruled", facts_pb2.AbandonmentRuled(
            position=position, reading=reading, reason="left the table",
        ))
        for reading in readings
    ]


def _correct(devices: Devices, view: RoundView, cards: dict[int, int]) -> Waiting:
    """Write corrections and wait for their answers and for what they change."""
    requests = {
        ordinal: devices.supervisor(view, "card_corrected", facts_pb2.CardCorrected(
            ordinal=ordinal, card=card, reason="seen on camera",  # type: ignore[arg-type]
        ))
        for ordinal, card in cards.items()
    }
    before = _hands(devices, view)
    changed = yield from _ask(devices, view, list(requests.values()))
    for ordinal, request in requests.items():
        if view.refusal(request) == 0:
            view.reading.correct(ordinal, cards[ordinal])
            after = _hands(devices, view)
            view.is_set -= {p for p, hand in after.items() if hand != before.get(p)}
            before = after
    return changed


def _ask(devices: Devices, view: RoundView, requests: list[OutgoingFact]) -> Waiting:
    """Send requests, wait for their answers; whether one was accepted and its effect is known."""
    before = view.deal_revision
    yield from devices.emit(view, requests)
    yield from devices.until_answered(view, requests)
    accepted = sum(view.refusal(request) == 0 for request in requests)
    deals = [r for r in requests if r.record and r.record.WhichOneof("body") in _OF_DEAL]
    if accepted and deals:
        yield from devices.until_deal(view, before + accepted if before else 1)
    return accepted > 0


_OF_DEAL = ("card_corrected", "deal_ruled")


def _hands(devices: Devices, view: RoundView) -> dict[int, list[int]]:
    hands = len(view.order) + 1
    return {position: view.reading.hand(index, hands, devices.terms.method)
            for index, position in enumerate(view.order)}


def _report(devices: Devices, view: RoundView) -> OutgoingFact:
    kind = devices.rng.choice((
        facts_pb2.IRREGULARITY_KIND_EXPOSED_CARD, facts_pb2.IRREGULARITY_KIND_BOXED_CARD,
        facts_pb2.IRREGULARITY_KIND_FOUND_CARD, facts_pb2.IRREGULARITY_KIND_SHUFFLER_FAILURE,
    ))
    position = devices.rng.choice((0, *view.order))
    return devices.supervisor(view, "irregularity_reported", facts_pb2.IrregularityReported(
        kind=kind, position=position, note="seen by the dealer",
    ))


def _needless(devices: Devices, view: RoundView) -> list[OutgoingFact]:
    """Requests of a supervisor that are refused."""
    correct = facts_pb2.CardCorrected(ordinal=99, card=1, reason="slip")  # type: ignore[arg-type]
    foreign = facts_pb2.CardCorrected(ordinal=1, card=FOREIGN, reason="slip")
    staying = next((p for p in view.order if p not in view.left), 1)
    ruled = facts_pb2.AbandonmentRuled(
        position=staying, reading=rules_pb2.ABANDONMENT_READING_LOSING, reason="slip"
    )
    return [
        devices.supervisor(view, "card_corrected", correct),
        devices.supervisor(view, "card_corrected", foreign),
        ruling(devices, view),
        devices.supervisor(view, "abandonment_ruled", ruled),
        void(devices, view, 77),
    ]
