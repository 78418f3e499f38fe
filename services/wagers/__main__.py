"""The wagers processor: `python -m services.wagers`."""

from services.runtime.main import run

if __name__ == "__main__":
    run("wagers")
