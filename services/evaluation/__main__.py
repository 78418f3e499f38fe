"""The evaluation processor: `python -m services.evaluation`."""

from services.runtime.arguments import take_none
from services.runtime.main import run

if __name__ == "__main__":
    take_none("evaluation", "The evaluation processor; runs until it is told to stop.")
    run("evaluation")
