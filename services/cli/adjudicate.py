"""`pitledger adjudicate`: rounds given as JSON, settled without a broker."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from services.cli.output import Failed, fail, flush, say, say_json

if TYPE_CHECKING:
    from pitledger.sources.submissions import Loaded


def adjudicate(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="A JSON file; - reads standard input.")
    ],
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One round a line in, one result a line out.")
    ] = False,
    _as_json: Annotated[
        bool, typer.Option("--json", help="Accepted as everywhere: the output is always JSON.")
    ] = False,
) -> None:
    """Settle a round given as JSON, by the same rules as the processors.

    The shortest round:

    \b
    {"game": "saigon5",
     "positions": [{"position": 1, "wagers": {"ante": 2500},
                    "cards": ["Jk","8c","6d","5s","2h"]}],
     "dealer": {"cards": ["Ks","Kd","4c","3h","9d"]}}

    Games are saigon5 (wagers ante, bonus, pot; set: three, two) and five_card_hi_lo (ante, tie,
    poker_bonus; high, low). Amounts are whole minor units; cards are As, Td, 2c, and Jk for the
    joker. May be added: submission ("default", "high-first" or the path of a TOML file), policies
    ({setting: value}), currency ("USD"), and for a position patron and set.

    Exit 0: settled; 2: bad input. With --jsonl the first bad line ends the run; what stands
    before it is settled and printed.
    """
    name = "standard input" if file == "-" else file
    with _opened(file) as source:
        if jsonl:
            _settle_lines(name, source)
        else:
            say_json(_settle(name, source.read()))


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file != "-":
        try:
            source = open(file, "rb")  # noqa: SIM115 (closed below)
            source.peek()  # what cannot be read is told with its name
        except (OSError, ValueError) as error:
            fail(f"{file}: {getattr(error, 'strerror', None) or error}")
        with source:
            yield source
    elif sys.stdin is None:
        fail("standard input is closed")
    else:
        yield sys.stdin.buffer


def _settle_lines(name: str, source: Iterable[bytes]) -> None:
    count = 0
    for number, line in enumerate(source, 1):
        if line.isspace():
            continue
        say(json.dumps(_settle(f"{name}: line {number}", line)))
        flush()
        count += 1
    if not count:
        fail(f"{name}: empty: one round a line is needed")


def _settle(where: str, text: bytes) -> dict[str, Any]:
    from pitledger.adjudicate import BadRound, adjudicate, game_of

    try:
        round_ = _read_json(text)
        submission = _submission(game_of(round_), round_)
        return adjudicate(round_, submission.data, submission.digest)
    except (BadRound, _BadJson) as problem:
        raise Failed(f"{where}: {problem}") from None
    except RecursionError:
        raise Failed(f"{where}: nested too deeply to be a round") from None


class _BadJson(Exception):
    """Bytes that are no JSON; the text is one line."""


def _read_json(text: bytes) -> Any:
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _BadJson(f"not UTF-8: the byte at {error.start} begins no character") from None
    if not decoded.strip():
        raise _BadJson("empty: a round as a JSON object is needed")
    try:
        return json.loads(decoded, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        hint = "; one round a line is read with --jsonl" if error.msg == "Extra data" else ""
        place = f"line {error.lineno}, column {error.colno}"
        raise _BadJson(f"not JSON: {error.msg} at {place}{hint}") from None
    except ValueError:
        raise _BadJson("not JSON of a round: a number of thousands of digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys all differ: of two equal ones it is not known which was meant."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _BadJson(f"the key {key!r} stands twice in one object")
            seen.add(key)
    return made


def _no_constant(name: str) -> float:
    raise _BadJson(f"not JSON: {name} is no number")


def _submission(game: str, round_: dict[str, Any]) -> "Loaded":
    from pitledger.adjudicate import BadRound
    from pitledger.games.submission import BadSubmission

    name, policies = round_.get("submission", "default"), round_.get("policies", {})
    if not isinstance(name, str) or not name:
        raise BadRound('submission: "default", another name or a path is needed')
    if not isinstance(policies, dict):
        raise BadRound("policies: an object of settings and their values is needed")
    try:
        return _load(game, name, json.dumps(policies))
    except BadSubmission as error:
        asked = f"submission {name}" + (" with policies" if policies else "")
        raise BadRound(f"{asked}: {'; '.join(error.problems)}") from None


@lru_cache(maxsize=256)
def _load(game: str, name: str, policies: str) -> "Loaded":
    from pitledger.sources.submissions import load_submission

    return load_submission(name, game, json.loads(policies))
