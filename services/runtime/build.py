"""Which build this is: two builds that derive other bytes never bear one name."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import pitledger

DECIDES = ("cards.py", "money.py", "derive.py", "cases", "games", "journal", "processors", "pb")
"""What of the package bears on any decision's bytes."""


@cache
def build() -> str:
    """The version, and a digest of the code that decides: "0.1.0+3f2a9c1d"."""
    root = Path(pitledger.__file__).parent
    digest = sha256()
    for name in DECIDES:
        part = root / name
        for path in sorted(part.rglob("*.py")) if part.is_dir() else [part]:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{pitledger.__version__}+{digest.hexdigest()[:8]}"
