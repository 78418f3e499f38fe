"""The account as a page: one file, no scripts, nothing from outside; it opens anywhere."""

import base64
import re
import unicodedata
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pitledger.cards import Card
from services.packet.account import Account, Block, Column, Glossary, Hands, Steps, Table
from services.packet.cards_drawn import HEIGHT, WIDTH, face, name, svg_path

_HOME = Path(__file__).parent
_LONG, _CHUNK = re.compile(r"\S{33,}"), re.compile(r"\S{1,16}")
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))


def page(account: Account) -> bytes:
    """HTML 5 in UTF-8."""
    style = (_HOME / "account.css").read_text()
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    text = _environment().get_template("account.html.j2").render(
        account=account,
        cards=[(card, face(card)) for card in sorted(_cards_in(account))],
        paragraphs=_glossary_of(account),
        style=Markup(style),  # our own file, and no text of any record
        style_hash=digest,
        width=WIDTH,
        height=HEIGHT,
    )
    return text.encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HOME),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["t"] = _isolated
    environment.filters["kind"] = _kind
    environment.filters["anchor"] = _anchor
    environment.filters["card_name"] = name
    environment.filters["path"] = svg_path
    environment.filters["align"] = _align
    return environment


def _isolated(text: str) -> Markup:
    """Escaped; letters from right to left are kept from turning what stands around them."""
    parts = []
    for turned, run in groupby(text, key=_turns):
        part = _breakable("".join(run))
        parts.append(Markup("<bdi>{}</bdi>").format(part) if turned else part)
    return Markup("").join(parts)


def _breakable(text: str) -> Markup:
    """Escaped; a word that is longer than any that is spoken may be broken across lines."""
    parts, end = [], 0
    for word in _LONG.finditer(text):
        chunks = (escape(chunk) for chunk in _CHUNK.findall(word[0]))
        parts += [escape(text[end : word.start()]), Markup("<wbr>").join(chunks)]
        end = word.end()
    return Markup("").join([*parts, escape(text[end:])])


def _turns(character: str) -> bool:
    return unicodedata.bidirectional(character) in _RIGHT_TO_LEFT


def _kind(block: Block) -> str:
    return type(block).__name__


def _anchor(citation: str) -> str:
    """An id for a glossary's entry, whatever a record cites."""
    return "p-" + sha256(citation.encode()).hexdigest()[:12]


def _align(column: Column) -> str:
    return "money" if column.money else "text"


def _glossary_of(account: Account) -> frozenset[str]:
    return frozenset(
        paragraph.name
        for section in account.sections
        for block in section.blocks
        if isinstance(block, Glossary)
        for paragraph in block.paragraphs
    )


def _cards_in(account: Account) -> set[Card]:
    found: set[Card] = set()
    for section in account.sections:
        for block in section.blocks:
            match block:
                case Table():
                    found.update(c for row in block.rows for cell in row for c in cell.cards)
                case Hands():
                    groups = [group for hand in block.hands for _, group in hand.groups]
                    found.update(c for group in groups for c in group)
                case Steps():
                    found.update(c for step in block.steps for c in step.cards)
                case _:
                    pass
    return found
