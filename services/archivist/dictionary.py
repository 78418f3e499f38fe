"""The zstd dictionary that a new archive gets: what rounds of both games have in common."""

from functools import cache
from importlib.resources import files

NAME = "rounds.dictionary"
"""Made by `python -m services.archivist.training`."""


@cache
def built_in() -> bytes:
    """This build's; an archive of before keeps its own for what was sealed with it."""
    return files("services.archivist").joinpath(NAME).read_bytes()
