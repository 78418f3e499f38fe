"""The settlement processor: `python -m services.settlement`."""

from services.runtime.main import run

if __name__ == "__main__":
    run("settlement")
