"""The submissions that the package ships, compiled with some of their settings changed."""

from pathlib import Path

import pitledger.games
from pitledger.games import compile_rules
from pitledger.games.game import Rules
from pitledger.games.submission import parse_submission, serialize, with_policies

_FOLDER = Path(pitledger.games.__file__).parent / "submissions"


def _text(name: str) -> str:
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def saigon(**policies: object) -> Rules:
    """Saigon 5 Card: the default submission, with these settings changed by the house."""
    return compile_rules(serialize(with_policies(_text("saigon5-default"), policies)))


def hi_lo(**policies: object) -> Rules:
    """Five Card Hi-Lo: the default submission, with these settings changed by the house."""
    return compile_rules(serialize(with_policies(_text("five_card_hi_lo-default"), policies)))


def high_first() -> Rules:
    """Five Card Hi-Lo: the submission where a copy goes to the dealer."""
    return compile_rules(serialize(parse_submission(_text("five_card_hi_lo-high-first"))))
