"""A processor of another build: `python -m tests.kit.other_build OWNER`.

It counts a hundred points too many for the dealer: other bytes, so that neither it nor the others
let what builds on them pass.
"""

import sys

from pitledger.pb import decisions_pb2 as pb
from pitledger.processors import evaluation
from services.runtime.main import run

WRONG_BY = 100
"""No true total comes near it."""


def patch() -> None:
    """Have this process derive other HandsEvaluated than the true build."""
    true = evaluation.hands_evaluated

    def otherwise(*arguments) -> pb.HandsEvaluated:
        evaluated = true(*arguments)
        falsify(evaluated)
        return evaluated

    evaluation.hands_evaluated = otherwise


def falsify(evaluated: pb.HandsEvaluated) -> None:
    """Make of the true build's HandsEvaluated the other's."""
    evaluated.dealer.first_total += WRONG_BY
    evaluated.dealer.point_count += WRONG_BY


def is_of_other_build(evaluated: pb.HandsEvaluated) -> bool:
    """Whether a HandsEvaluated can only be the other build's."""
    return evaluated.dealer.first_total >= WRONG_BY


if __name__ == "__main__":
    patch()
    run(sys.argv[1])
