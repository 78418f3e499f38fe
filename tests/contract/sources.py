"""What these tests read: the project's own files, as text and as syntax trees."""

import ast
import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PURE = (
    "cards", "money", "games", "journal", "processors", "derive", "engine", "replay",
    "adjudicate", "words", "story",
)  # fmt: skip
_MADE = {".git", ".venv", ".run", "node_modules", "__pycache__", "build", "pb"}
_CACHES = ("_cache", ".egg-info", ".hypothesis")


@functools.cache
def modules(*folders: str) -> tuple[tuple[str, ast.Module], ...]:
    """Each hand-written module below `folders` (or the module itself): its path and its tree."""
    found = []
    for folder in folders:
        path = ROOT / folder
        paths = sorted(path.rglob("*.py")) or [path.with_suffix(".py")]
        found += [p for p in paths if p.exists() and not _MADE & set(p.relative_to(ROOT).parts)]
    return tuple((str(p.relative_to(ROOT)), ast.parse(p.read_text())) for p in found)


def texts() -> Iterator[tuple[str, str]]:
    """Each text file of the project: its path and its text."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in _MADE and not f.endswith(_CACHES)]
        for name in names:
            path = Path(folder, name)
            with contextlib.suppress(UnicodeDecodeError):
                yield str(path.relative_to(ROOT)), path.read_text()
