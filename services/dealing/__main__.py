"""The dealing processor: `python -m services.dealing`."""

from services.runtime.arguments import take_none
from services.runtime.main import run

if __name__ == "__main__":
    take_none("dealing", "The dealing processor; runs until it is told to stop.")
    run("dealing")
