"""The reference part of docs/export.md, out of the one description of the columns.

    python -m tests.export.document      writes it anew
"""

from pathlib import Path

from services.export.schema import TABLES

DOCUMENT = Path(__file__).parents[2] / "docs" / "export.md"
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def reference() -> str:
    parts = []
    for table in TABLES:
        rows = [f"| `{c.name}` | {c.type} | {c.about} |" for c in table.columns]
        head = f"### {table.name}\n\n{table.about}\n\n| column | type | what |\n|---|---|---|\n"
        parts.append(head + "\n".join(rows) + "\n")
    return "\n" + "\n".join(parts) + "\n"


def split(text: str) -> tuple[str, str, str]:
    """Before, between and behind the two marks."""
    before, _, rest = text.partition(BEGIN)
    between, _, behind = rest.partition(END)
    return before, between, behind


if __name__ == "__main__":
    before, _, behind = split(DOCUMENT.read_text())
    DOCUMENT.write_text(before + BEGIN + reference() + END + behind)
