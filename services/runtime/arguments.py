"""The command line of a process that takes no arguments: all its settings are variables."""

import argparse


def take_none(name: str, what: str) -> None:
    """Answer `--help`; end with code 2 and one line where there are arguments."""
    argparse.ArgumentParser(
        prog=f"python -m services.{name}",
        description=what,
        epilog="Takes no arguments. Settings are environment variables, PITLEDGER_*: see "
        "docs/operations.md.",
    ).parse_args()
