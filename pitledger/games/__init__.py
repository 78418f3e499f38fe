"""The games: `compile_rules` turns the bytes of a rules submission into a game's rules.

A new game is one module here, one entry in `GAMES`, its submissions and its tests.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from pitledger.games.five_card_hi_lo import FiveCardHiLo
from pitledger.games.game import Rules
from pitledger.games.saigon5 import Saigon5
from pitledger.games.submission import BadSubmission, problems_of
from pitledger.pb import rules_pb2

if TYPE_CHECKING:
    from pitledger.pb.rules_pb2 import Game, RulesSubmission

__all__ = ["CACHED_BYTES_MAX", "GAMES", "BadSubmission", "compile_rules"]

GAMES: dict["Game", Callable[["RulesSubmission"], Rules]] = {
    rules_pb2.GAME_SAIGON5: Saigon5,
    rules_pb2.GAME_FIVE_CARD_HI_LO: FiveCardHiLo,
}


CACHED_BYTES_MAX = 1 << 16
"""What is longer was forged, and is worked out each time: caches must not keep it."""


def compile_rules(submission_bytes: bytes) -> Rules:
    """Return the rules of a serialized RulesSubmission; they never raise afterwards.

    Raises BadSubmission, which lists what is wrong, where the bytes are no submission or one that
    no round can be judged by.
    """
    if len(submission_bytes) > CACHED_BYTES_MAX:
        return _compiled.__wrapped__(submission_bytes)
    return _compiled(submission_bytes)


@lru_cache(maxsize=64)
def _compiled(submission_bytes: bytes) -> Rules:
    try:
        submission = rules_pb2.RulesSubmission.FromString(submission_bytes)
    except DecodeError as error:
        raise BadSubmission(("submission: the bytes are none",)) from error
    problems = problems_of(submission)
    if problems:
        raise BadSubmission(problems)
    return GAMES[submission.game](submission)
