"""A processor of a build with a bug in one round: `python -m tests.kit.builds OWNER TABLE/NUMBER`.

It raises at that round's “no more bets” and judges every other as everybody does. It bears a name
of its own, as a build with other code does.
"""

import sys
from typing import Any

from pitledger import derive
from services.runtime import build as naming

SUFFIX = "-bug"


class Bug(Exception):
    """What the build raises."""


def break_round(table_id: str, number: int) -> None:
    """Have this process fail on one round, under every adjudication version."""
    for version, chain in list(derive._CHAINS.items()):
        derive._CHAINS[version] = _failing(chain, table_id, number)


def rename() -> None:
    """Give this process's build another name; before whoever asks for it is imported."""
    true = naming.build()
    naming.build = lambda: true + SUFFIX  # type: ignore[assignment]


def _failing(chain: Any, table_id: str, number: int) -> Any:
    class Failing(chain):
        def __init__(self, opened: Any) -> None:
            super().__init__(opened)
            record = opened.record
            self.unlucky = (record.table_id, record.round_opened.round_number) == (table_id, number)

        def fact(self, fact: Any, body: str) -> Any:
            if self.unlucky and body == "no_more_bets":
                raise Bug(f"{table_id}/{number}")
            return super().fact(fact, body)

    return Failing


def main(owner: str, name: str) -> None:
    table_id, _, number = name.partition("/")
    break_round(table_id, int(number))
    rename()
    from services.runtime.main import run  # noqa: PLC0415 (after the renaming)

    run(owner)


if __name__ == "__main__":
    main(*sys.argv[1:])
