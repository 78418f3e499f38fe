"""A processor of another build: `python -m tests.kit.other_build OWNER`.

It judges hands as everybody does, and cites one ruling more for the dealer's: other bytes, so that
neither it nor the others let what builds on them pass.
"""

import sys

from pitledger.pb import decisions_pb2 as pb
from pitledger.processors import evaluation
from services.runtime.main import run

RULING = "another_build=yes"


def patch() -> None:
    """Have this process derive other HandsEvaluated than the true build."""
    true = evaluation.hands_evaluated

    def otherwise(*arguments) -> pb.HandsEvaluated:
        evaluated = true(*arguments)
        evaluated.dealer.rulings.append(RULING)
        return evaluated

    evaluation.hands_evaluated = otherwise


if __name__ == "__main__":
    patch()
    run(sys.argv[1])
