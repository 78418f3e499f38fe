"""The `pitledger` command."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of this process and exit: 130 on Ctrl-C, wherever it hits."""
    try:
        from services.cli.run import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
