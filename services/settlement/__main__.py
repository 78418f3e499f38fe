"""The settlement processor: `python -m services.settlement`."""

from services.runtime.arguments import take_none
from services.runtime.main import run

if __name__ == "__main__":
    take_none("settlement", "The settlement processor; runs until it is told to stop.")
    run("settlement")
