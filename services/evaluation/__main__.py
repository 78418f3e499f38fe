"""The evaluation processor: `python -m services.evaluation`."""

from services.runtime.main import run

if __name__ == "__main__":
    run("evaluation")
