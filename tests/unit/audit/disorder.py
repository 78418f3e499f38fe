"""Rounds at random, orderly and not: what a floor, and people who err, may write."""

import random
from collections.abc import Iterator
from typing import Any

from pitledger.journal.record import TYPE_OF_BODY, JournalRecord
from tests.unit.audit.desk import ANTE, AUTOMATED, BONUS, POKER, POT, SHOE, TIE, Desk

SAIGON_CHOICES: dict[str, list[Any]] = {
    "player_split": ["as_set", "best"],
    "misset_hand": ["cards_speak", "as_set", "lose"],
    "pot_eligibility": ["all", "qualifiers"],
    "pot_remainder": ["first_in_settlement_order", "last_in_settlement_order"],
}
HILO_CHOICES: dict[str, list[Any]] = {
    "house_way": ["scored", "high_first", "low_first"],
    "high_hand_cap": [21, 18, 0],
    "low_hand_wins": ["higher", "lower"],
    "foul_hand": ["lose", "house_way"],
    "tie_pairs": ["same_hand", "any"],
    "busted_ties": [True, False],
}
COMMON_CHOICES: dict[str, list[Any]] = {
    "adjacent_positions": [False, True],
    "payout_unit_minor": [1, 25, 100],
    "payout_rounding": ["down", "up", "nearest"],
    "wager_unit": [1, 100],
    "aggregate_payout_limit": [
        {"amount": 5000, "scope": "round", "allocation": "pro_rata"},
        {"amount": 5000, "scope": "round", "allocation": "settlement_order"},
        {"amount": 2000, "scope": "hand", "allocation": "pro_rata"},
        {"amount": 2000, "scope": "none", "allocation": "pro_rata"},
    ],
    "abandoned_wagers": [["plays", "losing", "returned"], ["losing"]],
}


def policies(game: str, dice: random.Random) -> dict[str, Any]:
    """A random choice for each house ruling."""
    choices = COMMON_CHOICES | (SAIGON_CHOICES if game == "saigon5" else HILO_CHOICES)
    return {name: dice.choice(values) for name, values in choices.items()}


class Player:
    """Plays rounds at a desk; `trouble` is the chance of each kind of disorder, 0 to 1."""

    def __init__(self, desk: Desk, dice: random.Random, trouble: float) -> None:
        self.desk, self.dice, self.trouble = desk, dice, trouble
        self.kinds = (BONUS, POT) if desk.game == "saigon5" else (TIE, POKER)
        self.deck_size = 53 if desk.game == "saigon5" else 52

    def errs(self, share: float = 1.0) -> bool:
        return self.dice.random() < self.trouble * share

    def round(self) -> None:
        desk, dice = self.desk, self.dice
        positions = sorted(dice.sample(range(1, 7), dice.randint(1, 5)))
        self.seats = {p: f"q{p // 2}" if dice.random() < 0.3 else f"p{p}" for p in positions}
        self.pot = dice.choice([0, 500, 1000]) if desk.game == "saigon5" else 0
        self.method = dice.choice([SHOE, AUTOMATED])
        broken = {"submission_digest": b"other"} if self.errs(0.1) else {}
        desk.open(self.seats, pot=self.pot, method=self.method, **broken)
        self.bet()
        if self.errs(0.2):
            self.deal_some(dice.randint(1, 3))
        if self.errs(0.1):
            desk.fact("dealer_exposed")
        if self.errs(0.2):
            self.anything()
        desk.close()
        self.deal()
        for _ in range(dice.randint(0, 4) if self.errs() else 0):
            self.anything()
        self.set_all()
        for _ in range(dice.randint(0, 4) if self.errs() else 0):
            self.anything()
        desk.fact("dealer_exposed", **self.exposure())
        if self.errs(0.3):
            desk.fact("stub_counted", cards=self.deck_size - 5 * (len(self.hands)))
        for _ in range(dice.randint(0, 6) if self.errs() else 0):
            self.anything()
        self.finish()

    def bet(self) -> None:
        dice = self.dice
        for position, patron in self.seats.items():
            for _ in range(1 + self.errs(0.3)):
                names = {BONUS: "bonus", POT: "pot", TIE: "tie", POKER: "poker"}
                odd = [100, -5, 10**7] if self.errs() else []
                ante = dice.choice([500, 2500, 2533, 10_000, *odd])
                wagers = {"ante": ante}
                for kind in self.kinds:
                    if kind == POT:
                        if self.pot and not self.errs(0.2):
                            wagers["pot"] = self.pot
                    elif dice.random() < 0.6:
                        wagers[names[kind]] = dice.choice([100, 500, 333, 9_000])
                who = "stranger" if self.errs(0.1) else patron
                with_what = "verbal_with_cash" if self.errs(0.1) else "value_chip"
                self.desk.wager(position, who, with_what, **wagers)
            if self.errs(0.3):
                kinds = dice.sample([ANTE, *self.kinds, 0], dice.randint(0, 2))
                self.desk.withdraw(position, *kinds, patron=patron)

    def deal_some(self, count: int) -> None:
        for ordinal in range(1, count + 1):
            self.desk.draw(ordinal, self.dice.randint(1, self.deck_size))

    def deal(self) -> None:
        """Deal to the positions that are in, with some slips."""
        dice = self.dice
        places = self.places()
        shoe = list(range(1, self.deck_size + 1))
        dice.shuffle(shoe)
        cards = shoe[: 5 * (len(places) + 1)]
        if self.errs(0.3):
            cards[dice.randrange(len(cards))] = dice.choice([*shoe, 0, 54, 53])
        if self.errs(0.1):
            cards.append(shoe[-1])
        if self.errs(0.1):
            cards.pop()
        self.hands = [0] * (len(places) + 1)
        if (self.method == AUTOMATED) != self.errs(0.05):
            for start in range(0, len(cards), 5):
                packet, number = cards[start : start + 5], start // 5 + 1
                if self.errs(0.05):
                    packet = packet[: dice.randint(0, 4)]
                if self.errs(0.03):
                    number = dice.choice([0, 11, 2**32 - 1])
                self.desk.fact("packet_drawn", packet=number, cards=packet)
            return
        for ordinal, card in enumerate(cards, 1):
            if not self.errs(0.02):
                slip = dice.choice([0, 1, -1, 60]) if self.errs(0.02) else 0
                self.desk.draw(max(ordinal + slip, 0), card)
            if self.errs(0.02):
                self.anything()

    def places(self) -> list[int]:
        """Who is dealt to, as BettingClosed says."""
        for record in self.recorded("betting_closed"):
            return sorted({circle.position for circle in record.betting_closed.circles})
        return list(self.seats)

    def recorded(self, body: str) -> Iterator[JournalRecord]:
        """The records of a kind in the open round, the last first."""
        wanted = TYPE_OF_BODY[body].encode()
        for stored in reversed(self.desk.records):
            headers = dict(stored.headers)
            subject = headers["ce_subject"].decode()
            if headers["ce_type"] == wanted and subject == self.desk.round_id:
                yield self.desk.parse(stored)

    def set_all(self) -> None:
        positions = sorted(self.seats, reverse=True)
        if self.errs(0.2):
            self.dice.shuffle(positions)
        for position in positions:
            if not self.errs(0.1):
                self.set_one(position)

    def set_one(self, position: int) -> None:
        cards = self.cards_of(position)
        if self.dice.random() < 0.5:
            self.dice.shuffle(cards)
        patron = "stranger" if self.errs(0.05) else self.seats.get(position, "nobody")
        cut = 2 if self.errs(0.05) else 3
        self.desk.fact(
            "hand_set", position=position, patron_id=patron, first=cards[:cut], second=cards[cut:]
        )

    def cards_of(self, position: int) -> list[int]:
        """The position's cards by the last HandsDealt; any five where it has none."""
        for record in self.recorded("hands_dealt"):
            for hand in record.hands_dealt.hands:
                if hand.position == position:
                    return list(hand.cards)
        return self.dice.sample(range(1, 54), 5)

    def exposure(self) -> dict[str, list[int]]:
        """The dealer's split as shown, if it is recorded at all: his cards, in any order."""
        shown = [list(r.hands_dealt.dealer.cards) for r in self.recorded("hands_dealt")][:1]
        if not shown or self.dice.random() < 0.5:
            return {}
        self.dice.shuffle(shown[0])
        return {"first": shown[0][:3], "second": shown[0][3:]}

    def noise(self) -> None:
        """A message that should have no effect, or is no fact, or opens a round out of turn."""
        dice, desk = self.dice, self.desk
        old = desk.parse(dice.choice(desk.records))
        match dice.randint(0, 8):
            case 0 | 1 | 2:
                if old.event_id[14] == "7":
                    desk.put(old)
            case 3:
                desk.write(table_seq=desk.seq + dice.randint(0, 3), no_more_bets={})
            case 4:
                desk.write(table_seq=dice.randint(0, 1), hand_set={"position": 1})
            case 5:
                desk.write(round_id=desk.new_id(), wager_requested={"position": 1})
            case 6:
                desk.write(card_corrected={"ordinal": 1, "card": 77})
            case 7:
                desk.write(round_id="", table_held={"reason": "a dispute"})
            case 8:
                number, minutes = dice.choice([(0, 0), (desk.number, 0), (desk.number + 1, -6)])
                opening = desk.opening(self.seats, number)
                event_id = desk.new_id(minutes)
                desk.write(event_id=event_id, round_id=event_id, round_opened=opening)

    def anything(self) -> None:
        """One fact of any kind."""
        dice, desk = self.dice, self.desk
        if self.errs(0.2):
            self.noise()
        position = dice.choice([*self.seats, 7])
        match dice.randint(0, 14):
            case 0 | 1:
                ordinal = dice.randint(0, 36)
                card = dice.choice([0, 0, *range(1, 55)])
                desk.fact("card_corrected", ordinal=ordinal, card=card)
            case 2 | 3:
                desk.fact("deal_ruled")
            case 4 | 5:
                desk.fact("player_left", position=position)
                if dice.random() < 0.7:
                    desk.fact("abandonment_ruled", position=position, reading=dice.randint(0, 3))
            case 6:
                desk.fact("abandonment_ruled", position=position, reading=dice.randint(1, 3))
            case 7:
                desk.fact("void_ordered", position=position)
            case 8:
                desk.fact("irregularity_reported", kind=1, position=position)
            case 9:
                self.set_one(position)
            case 10:
                desk.fact("stub_counted", cards=dice.randint(20, 40))
            case 11:
                desk.fact("dealer_exposed", first=[1, 2, 3], second=[4, 5])
            case 12:
                desk.fact("round_closed", revision=dice.randint(0, 3))
            case 13:
                desk.wager(position, ante=500)
            case 14:
                desk.draw(dice.randint(0, 54), dice.randint(0, 54))

    def finish(self) -> None:
        """End the round in one of the ways there are; some are left for the next RoundOpened."""
        dice, desk = self.dice, self.desk
        if self.errs(0.1):
            desk.fact("void_ordered", position=0)
        for revision in range(1, 1 + (12 if dice.random() < 0.8 else 0)):
            desk.fact("round_closed", revision=revision)
        if self.errs(0.2):
            desk.fact("table_closed", reason="day")
