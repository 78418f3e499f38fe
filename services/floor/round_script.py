"""One round from its first wager to its close, as the table's devices and people go through it."""

from pitledger.pb import decisions_pb2, facts_pb2
from pitledger.pb.cards_pb2 import DEALING_METHOD_AUTOMATED_SHOE
from services.floor import patrons
from services.floor.devices import Devices, RoundCut, Stage
from services.floor.faults import Fault
from services.floor.pen import CONSOLE, OutgoingFact
from services.floor.round_view import Moment, RoundView
from services.floor.shoe import HAND, read
from services.floor.supervisor import abandonment, intervene, mend, ruling, void

STUB_EVERY = 5
_TRIES = 4
_SET_AGAIN = frozenset((
    decisions_pb2.REFUSAL_NOT_THE_HANDS_CARDS, decisions_pb2.REFUSAL_WRONG_SPLIT_SIZES,
    decisions_pb2.REFUSAL_OUT_OF_SET_ORDER, decisions_pb2.REFUSAL_HAND_NOT_DEALT,
    decisions_pb2.REFUSAL_NOT_SEATED,
))


def play(devices: Devices, view: RoundView, stub_due: bool) -> Stage:
    """All that happens after the RoundOpened; raise RoundCut where the round must be ended."""
    yield from _bet(devices, view)
    yield from _deal(devices, view)
    yield from _set_hands(devices, view)
    yield from _expose(devices, view, stub_due)
    yield from _pay_and_close(devices, view)


def cut_short(devices: Devices, view: RoundView) -> Stage:
    """End the round as its fault says; without one a supervisor voids it."""
    fault, devices.cut = devices.cut, None
    if view.outcome is not None or fault == Fault.CONSOLE_LOST:
        return
    if not fault and view.closed and not view.order and devices.rng.random() < 0.5:
        return  # nobody plays: the next RoundOpened ends it
    if fault == Fault.TABLE_CLOSED:
        closed = facts_pb2.TableClosed(reason="fire alarm")
        yield from devices.emit(view, [devices.pen.fact(CONSOLE, "table_closed", closed,
                                                        view.round_id)])
    else:
        yield from devices.emit(view, [void(devices, view)])
    yield from devices.until_ended(view)


def _bet(devices: Devices, view: RoundView) -> Stage:
    first, second, late = [], [], []
    habits, rng, terms = devices.rates.habits, devices.rng, devices.terms
    for position, who in view.seats.items():
        bodies = patrons.wagers(terms, habits, position, who, rng)
        first += [devices.patron(view, position, body) for body in bodies]
        if bodies and (habits.raises or habits.withdraws):
            bodies = patrons.second_thoughts(terms, habits, position, who, rng)
            second += [devices.patron(view, position, body) for body in bodies]
        bodies = patrons.late_wish(terms, habits, position, who, rng)
        late += [devices.patron(view, position, body) for body in bodies]
    if Fault.RULING_REFUSED in view.faults:
        second.append(ruling(devices, view))
    yield from devices.emit(view, first)
    if second:
        yield from devices.emit(view, second)
    console = []
    if Fault.CARD_BEFORE_CLOSE in view.faults:
        console.append(devices.console(view, *_first_card(devices, view)))
    console.append(devices.console(view, "no_more_bets", facts_pb2.NoMoreBets()))
    yield from devices.emit(view, devices.mixed(console, late))
    closed = yield from devices.until(lambda: view.closed is not None)
    if not closed or not view.order:
        raise RoundCut


def _first_card(devices: Devices, view: RoundView) -> patrons.Body:
    if devices.terms.method == DEALING_METHOD_AUTOMATED_SHOE:
        cards = view.deck[:HAND]
        return "packet_drawn", facts_pb2.PacketDrawn(packet=1, cards=cards)  # type: ignore[arg-type]
    return "card_drawn", facts_pb2.CardDrawn(ordinal=1, card=view.deck[0])  # type: ignore[arg-type]


def _deal(devices: Devices, view: RoundView) -> Stage:
    faults, rng = view.faults, devices.rng
    method = devices.terms.method
    reading = read(view.deck, len(view.order) + 1, method, faults, rng)
    if Fault.CARD_BEFORE_CLOSE in faults:
        reading.drawn_already(1 if method != DEALING_METHOD_AUTOMATED_SHOE else HAND)
    view.reading = reading
    facts = [devices.console(view, name, body) for name, body in reading.bodies]
    if Fault.OTHER_METHOD in faults:
        facts.append(_by_other_method(devices, view))
    if Fault.CLOSE_REFUSED in view.faults:
        facts.append(_closed(devices, view, 1))
    early = [devices.patron(view, position, _set(devices, view, position))
             for position in view.order if _chance(devices, devices.rates.habits.sets_badly)]
    yield from devices.emit(view, devices.mixed(facts, early))
    if Fault.LAST_UNREAD not in faults:
        yield from mend(devices, view)
    if view.agenda and (yield from intervene(devices, view, Moment.DEALT)):
        yield from mend(devices, view)


def _by_other_method(devices: Devices, view: RoundView) -> OutgoingFact:
    """The table's spare shoe reads something once more."""
    if devices.terms.method == DEALING_METHOD_AUTOMATED_SHOE:
        card = view.deck[0]
        return devices.console(view, "card_drawn",
                               facts_pb2.CardDrawn(ordinal=1, card=card))  # type: ignore[arg-type]
    packet = facts_pb2.PacketDrawn(packet=1, cards=view.deck[:HAND])  # type: ignore[arg-type]
    return devices.console(view, "packet_drawn", packet)


def _set_hands(devices: Devices, view: RoundView) -> Stage:
    habits = devices.rates.habits
    gone = [p for p in view.order if _chance(devices, habits.leaves)]
    for position in gone:
        view.left.add(position)
        left = devices.supervisor(view, "player_left", facts_pb2.PlayerLeft(position=position))
        yield from devices.emit(view, [left, *abandonment(devices, view, position)])
    slow = {p for p in view.order if _chance(devices, habits.never_sets)}
    if Fault.EXPOSED_EARLY in view.faults:
        slow.update(p for p in view.order if devices.rng.random() < 0.4)
    yield from _set_all(devices, view, slow)
    if view.agenda and (yield from intervene(devices, view, Moment.SET)):
        yield from mend(devices, view)
        yield from _set_all(devices, view, slow)


def _set_all(devices: Devices, view: RoundView, slow: set[int]) -> Stage:
    """Have every hand set that is not, again where the set was refused for its content."""
    habits = devices.rates.habits
    for attempt in range(_TRIES):
        missing = [p for p in view.order
                   if p not in view.is_set and p not in view.left and p not in slow]
        if not missing:
            return
        if not attempt and _chance(devices, habits.sets_badly):
            missing.reverse()
        else:  # 663a.7(f): the larger Ante's hand first, of equal ones the higher position's
            missing.sort(key=lambda p: (view.antes.get(p, 0), p), reverse=True)
        requests = {p: devices.patron(view, p, _first_set(devices, view, p, attempt))
                    for p in missing}
        twice = [requests[p] for p in missing if _chance(devices, habits.sets_badly)]
        again = [devices.patron(view, p, _set(devices, view, p))
                 for p in missing if _chance(devices, habits.sets_badly)]
        facts = list(requests.values())
        yield from devices.emit(view, [*facts, *twice, *again])
        yield from devices.until_answered(view, facts)
        view.is_set.update(p for p, fact in requests.items()
                           if view.refusal(fact) not in _SET_AGAIN)


def _first_set(devices: Devices, view: RoundView, position: int, attempt: int) -> patrons.Body:
    if attempt == 0 and _chance(devices, devices.rates.habits.sets_badly):
        cards = _cards(devices, view, position)
        return patrons.bad_set(position, view.seats[position], cards, devices.rng)
    return _set(devices, view, position)


def _set(devices: Devices, view: RoundView, position: int) -> patrons.Body:
    cards = _cards(devices, view, position)
    habits = devices.rates.habits
    split = patrons.split_of(devices.terms.game, cards, habits, devices.rng)
    return patrons.hand_set(position, view.seats[position], split)


def _cards(devices: Devices, view: RoundView, position: int) -> list[int]:
    """The five cards that a terminal shows; where fewer were read, some all the same."""
    index = view.order.index(position)
    cards = view.reading.hand(index, len(view.order) + 1, devices.terms.method)
    return [*cards, *view.deck[:HAND]][:HAND]


def _expose(devices: Devices, view: RoundView, stub_due: bool) -> Stage:
    rng, faults = devices.rng, view.faults
    if (stub_due and Fault.STUB_FORGOTTEN not in faults) or Fault.STUB_MISCOUNTED in faults:
        rest = len(view.deck) - sum(1 for card in view.reading.truth.values() if card)
        if Fault.STUB_MISCOUNTED in faults:
            rest -= 1
        counted = devices.console(view, "stub_counted", facts_pb2.StubCounted(cards=rest))
        yield from devices.emit(view, [counted])
    exposed = facts_pb2.DealerExposed()
    hands = len(view.order) + 1
    dealer = view.reading.true_hand(hands - 1, hands, devices.terms.method)
    if Fault.EXPOSED_OTHERWISE in faults:
        dealer[rng.randrange(HAND)] = view.deck[-1]
    if rng.random() < 0.5 or Fault.EXPOSED_OTHERWISE in faults:
        first, second = patrons.split_of(devices.terms.game, dealer, devices.rates.habits, rng)
        exposed = facts_pb2.DealerExposed(first=first, second=second)  # type: ignore[arg-type]
    facts = [devices.console(view, "dealer_exposed", exposed)]
    if Fault.EXPOSED_TWICE in faults:
        facts.append(devices.console(view, "dealer_exposed", exposed))
    late = [devices.patron(view, position, _set(devices, view, position))
            for position in view.order
            if position not in view.is_set or _chance(devices, devices.rates.habits.sets_late)]
    yield from devices.emit(view, [*facts, *late])


def _pay_and_close(devices: Devices, view: RoundView) -> Stage:
    """Pay the highest revision until nothing changes any more, then close with its number."""
    for attempt in range(_TRIES):
        yield from _payout_due(devices, view)
        paid = view.paid_revision
        yield from _pay(devices, view)
        if view.agenda and (yield from intervene(devices, view, Moment.PAID)):
            yield from devices.until_paid(view, paid + 1)
            yield from _payout_due(devices, view)
            paid = view.paid_revision
            yield from _pay(devices, view)
        if Fault.CLOSE_FORGOTTEN in view.faults:
            return
        if not (yield from devices.until_released()):
            return  # it ends with the table
        facts = []
        if Fault.CLOSE_REFUSED in view.faults and not attempt:
            facts.append(_closed(devices, view, paid + devices.rng.choice((-1, 1))))
        close = _closed(devices, view, paid)
        yield from devices.emit(view, [*facts, close])
        yield from devices.until_ended(view, close)
        if view.outcome is not None:
            return
        yield from devices.until_paid(view, paid + 1)
    raise RoundCut


def _payout_due(devices: Devices, view: RoundView) -> Stage:
    """Wait for a payout of a deal that stands, mending it where it is broken."""
    for _ in range(_TRIES):
        if not view.deal_regular or view.reading.wrong():
            before = view.paid_revision
            yield from mend(devices, view)
            yield from devices.until_paid(view, before + 1)
        yield from devices.until(lambda: view.paid_revision > 0 or not view.deal_regular)
        if view.deal_regular:
            break
    if not view.paid_revision:
        raise RoundCut


def _pay(devices: Devices, view: RoundView) -> Stage:
    if not devices.terms.records_payments or view.payout is None:
        return
    payments = [
        devices.pen.fact(CONSOLE, "payment_recorded", facts_pb2.PaymentRecorded(
            position=line.position, kind=line.kind, amount_minor=line.profit_minor,
        ), view.round_id)
        for line in view.payout.lines if line.profit_minor
    ]
    yield from devices.emit(view, payments)


def _closed(devices: Devices, view: RoundView, revision: int) -> OutgoingFact:
    closed = facts_pb2.RoundClosed(revision=max(revision, 0))
    return devices.pen.fact(CONSOLE, "round_closed", closed, view.round_id)


def _chance(devices: Devices, chance: float) -> bool:
    return chance > 0 and devices.rng.random() < chance
