"""The auditor: `python -m services.auditor`."""

from services.auditor.process import run

if __name__ == "__main__":
    run()
