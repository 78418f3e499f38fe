"""`python -m services.demo`: see it play, settle and prove itself. `make demo` runs it."""

import sys


def main() -> int:
    """Ctrl-C while Python still loads modules is not worth a traceback either."""
    try:
        from services.demo import demo  # noqa: PLC0415

        return demo.main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
