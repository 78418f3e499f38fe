"""The cases' process: `python -m services.cases`."""

from services.cases.process import run
from services.runtime.arguments import take_none

if __name__ == "__main__":
    take_none("cases", "Answers disputes and corrections; runs until it is told to stop.")
    run()
