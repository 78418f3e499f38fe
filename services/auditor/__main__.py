"""The auditor: `python -m services.auditor`."""

from services.auditor.process import run
from services.runtime.arguments import take_none

if __name__ == "__main__":
    take_none("auditor", "Works out every round twice; runs until it is told to stop.")
    run()
