"""The wagers processor: `python -m services.wagers`."""

from services.runtime.arguments import take_none
from services.runtime.main import run

if __name__ == "__main__":
    take_none("wagers", "The wagers processor; runs until it is told to stop.")
    run("wagers")
