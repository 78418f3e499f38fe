"""The archivist: `python -m services.archivist`."""

from services.archivist.process import run
from services.runtime.arguments import take_none

if __name__ == "__main__":
    take_none("archivist", "Seals finished rounds in an archive; runs until it is told to stop.")
    run()
