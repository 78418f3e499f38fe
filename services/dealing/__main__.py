"""The dealing processor: `python -m services.dealing`."""

from services.runtime.main import run

if __name__ == "__main__":
    run("dealing")
