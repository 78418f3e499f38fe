"""Rules submissions from files: the packaged ones by name, any other by its path."""

import hashlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from pitledger.games.submission import BadSubmission, parse_submission, serialize, with_policies
from pitledger.games.submission_schema import schema_of
from pitledger.pb.rules_pb2 import RulesSubmission

BYTES_MAX = 1 << 20
"""No submission is larger; a longer file is something else."""


class Loaded(NamedTuple):
    """A valid submission, the bytes that a round carries, and their SHA-256 (32 bytes)."""

    message: RulesSubmission
    data: bytes
    digest: bytes


def load_submission(name_or_path: str | Path, game: str | int | None = None,
                    policies: Mapping[str, object] | None = None) -> Loaded:
    """Read a submission, with `policies` changed by the house (see `with_policies`).

    "default" and "high-first" are packaged submissions of `game` (its name or its number);
    "saigon5-default" is one of any game. Every other name is a path. Raises BadSubmission where
    there is no such file, it is not valid, or it is another game's.
    """
    text = read_text(name_or_path, game)
    message = with_policies(text, policies) if policies else parse_submission(text)
    wanted = None if game is None else _game_name(game)
    actual = _game_name(message.game)
    if wanted not in (None, actual):
        raise BadSubmission((f"submission.game: found {actual}; allowed: {wanted}",))
    data = serialize(message)
    return Loaded(message, data, hashlib.sha256(data).digest())


def read_text(name_or_path: str | Path, game: str | int | None = None) -> str:
    """The text of a submission, not yet judged; raises BadSubmission where it cannot be read."""
    name = str(name_or_path)
    packaged = packaged_names()
    candidates = (name,) if game is None else (f"{_game_name(game)}-{name}", name)
    for candidate in candidates:
        if candidate in packaged:
            return (_FOLDER / f"{candidate}.toml").read_text(encoding="utf-8")
    try:
        with Path(name).open("rb") as file:
            data = file.read(BYTES_MAX + 1)
    except FileNotFoundError:
        line = f"no such file, nor a packaged submission; those are: {', '.join(packaged)}"
        of_games = [each for each in packaged if each.endswith(f"-{name}")]
        if game is None and of_games:
            line = f"is packaged of each game: name one (--game), or say {' or '.join(of_games)}"
        raise BadSubmission((line,)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadSubmission((f"cannot be read: {reason}",)) from None
    if len(data) > BYTES_MAX:
        raise BadSubmission((f"longer than {BYTES_MAX} bytes: no submission is",))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = f"not UTF-8: the byte at {error.start} begins no character"
        raise BadSubmission((line,)) from None


def packaged_names() -> tuple[str, ...]:
    """"saigon5-default" and so on, sorted."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _FOLDER.iterdir()
                        if file.name.endswith(".toml")))


_FOLDER = resources.files("pitledger.games") / "submissions"


def _game_name(game: str | int) -> str:
    schema = schema_of(game)
    return schema.name if schema else str(game)
