"""PokerKit playing six-handed hands to the showdown: every player calls, then checks."""

from pokerkit import Automation, NoLimitTexasHoldem

from bench.contestants.timing import report

HANDS = 300
AUTOMATIONS = tuple(a for a in Automation)


def play() -> None:
    state = NoLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (1, 2), 2, 200, 6)
    while state.status:
        state.check_or_call()


def work() -> int:
    for _ in range(HANDS):
        play()
    return HANDS


report(work)
