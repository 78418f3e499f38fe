"""`pitledger rules check` and `pitledger rules show`."""

import json
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from services.cli.output import console, say, warn

if TYPE_CHECKING:
    from pitledger.sources.submissions import Loaded

rules_app = typer.Typer(help="Rules submissions: check one, show one.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Game = Annotated[str | None, typer.Option(help='The game of a name: "saigon5", "five_card_hi_lo".')]


@rules_app.command("check")
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A TOML file.")], as_json: Json = False
) -> None:
    """Say in one line each what is wrong with a submission. Exit 0: nothing, 2: something."""
    loaded = _load(file, None, as_json)
    if as_json:
        say(json.dumps({"ok": True, "problems": [], **_identity(loaded)}))
    else:
        say(f'{file}: a valid submission of {_game(loaded)}, "{loaded.message.name}",'
                   f" SHA-256 {loaded.digest.hex()}")


@rules_app.command("show")
def show(name: Annotated[str, typer.Argument(metavar="NAME|FILE")], game: Game = None,
         as_json: Json = False) -> None:
    """Show each setting of a submission with its value and who says so."""
    from pitledger.games.submission import to_settings

    loaded = _load(name, game, as_json)
    settings = to_settings(loaded.message)
    if as_json:
        say(json.dumps({**_identity(loaded), "settings": settings}))
        return
    from rich.table import Table

    table = Table("setting", "value", "authority", title=loaded.message.title,
                  caption="Stakes and other amounts are minor units of the table's currency."
                          f" SHA-256 {loaded.digest.hex()}")
    for setting, said in settings.items():
        by = " ".join(filter(None, (said["authority"], said["source"])))
        table.add_row(setting, _words(said["value"]), by)
    console().print(table)


def _load(name: str, game: str | None, as_json: bool) -> "Loaded":
    from pitledger.games.submission import BadSubmission
    from pitledger.sources.submissions import load_submission

    try:
        return load_submission(name, game)
    except BadSubmission as error:
        _refuse(name, error.problems, as_json)


def _refuse(name: str, problems: tuple[str, ...], as_json: bool) -> NoReturn:
    if as_json:
        say(json.dumps({"ok": False, "problems": problems}))
    else:
        for line in problems:
            warn(f"pitledger: {name}: {line}")
    raise typer.Exit(2)


def _identity(loaded: "Loaded") -> dict[str, Any]:
    message = loaded.message
    return {"game": _game(loaded), "name": message.name, "title": message.title,
            "sha256": loaded.digest.hex()}


def _game(loaded: "Loaded") -> str:
    return str(loaded.message.WhichOneof("rules"))


def _words(value: Any) -> str:
    """A value in a cell of the table."""
    match value:
        case dict():
            return "\n".join(f"{key}: {_words(item)}" for key, item in value.items())
        case [[_, _], *_]:
            return ", ".join(f"to {total}: {score}" for total, score in value)
        case list():
            return ", ".join(map(_words, value))
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case _:
            return str(value)
