"""The account as a PDF: the same structure as the page, on paper, the same bytes each time."""

import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, assert_never
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    TableStyle,
)

from services.packet import account as a
from services.packet.paper_parts import (
    BOLD,
    BOTTOM,
    LEFT,
    LINE,
    MARGIN,
    PLAIN,
    RIGHT,
    SOFT,
    TONES,
    TOP,
    WASH,
    WIDTH,
    CardRow,
    Heading,
    NumberedCanvas,
    Rows,
    beside,
    column_widths,
)
from services.packet.paper_text import anchor, drawable, lacks

_FONTS = Path(__file__).parent / "fonts"
_STEPS_AT_ONCE = 100
_LACKING = (
    "Where ‹U+...› stands with a code point, the record has a character that this document's font"
    " lacks or cannot set; account.html shows it."
)


def paper(account: a.Account) -> bytes:
    """PDF, A4. What its font lacks is written as code points, and a notice says so."""
    _register()
    out = io.BytesIO()
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=TOP,
        bottomMargin=BOTTOM,
        title=drawable(f"{account.title}: {account.subtitle}"),
        author=drawable(dict(account.head.items).get("Software", "pitledger")),
        subject="The account of a round of a carnival table game",
        creator="pitledger",
        lang="en",
        invariant=1,
    )
    footer = drawable(f"{account.title}: {account.subtitle}")
    canvas = NumberedCanvas.made(account.made_at_us, footer)
    document.build(list(_flow(account)), canvasmaker=canvas)
    return out.getvalue()


@cache
def _register() -> None:
    pdfmetrics.registerFont(TTFont(PLAIN, _FONTS / "DejaVuSansCondensed.ttf"))
    pdfmetrics.registerFont(TTFont(BOLD, _FONTS / "DejaVuSansCondensed-Bold.ttf"))
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=PLAIN, boldItalic=BOLD)


def _style(name: str, size: float, **more: Any) -> ParagraphStyle:
    given = {"fontName": PLAIN, "leading": size * 1.35, "splitLongWords": 1, **more}
    return ParagraphStyle(name, fontSize=size, **given)


_TITLE = _style("title", 18, fontName=BOLD)
_SUBTITLE = _style("subtitle", 11, textColor=SOFT, spaceAfter=8)
_HEADING = _style("heading", 12.5, fontName=BOLD)
_NORMAL = _style("normal", 8.5, spaceAfter=3)
_SMALL = _style("small", 7.2, textColor=SOFT)
_CAPTION = _style("caption", 8.5, fontName=BOLD, spaceBefore=6, spaceAfter=2)
_CELL = _style("cell", 7.8)
_MONEY = _style("money", 7.8, alignment=TA_RIGHT)
_HEAD = _style("head", 7.2, textColor=SOFT)
_HEAD_MONEY = _style("head-money", 7.2, textColor=SOFT, alignment=TA_RIGHT)


def _flow(account: a.Account) -> Iterator[Flowable]:
    yield _paragraph(account.title, _TITLE)
    yield _paragraph(account.subtitle, _SUBTITLE)
    if any(lacks(text) for text in a.texts(account)):
        yield from _notice(a.Notice(a.Tone.NOTE, "Characters", _LACKING))
    for notice in account.notices:
        yield from _notice(notice)
    yield from _facts(account.head)
    for number, section in enumerate(account.sections, 1):
        yield CondPageBreak(60 * mm)
        yield Heading(drawable(section.title), _HEADING, f"s-{number}")
        for block in section.blocks:
            yield from _block(block)


def _block(block: a.Block) -> Iterator[Flowable]:
    match block:
        case a.Prose():
            yield _paragraph(block.text, _NORMAL)
        case a.Notice():
            yield from _notice(block)
        case a.Facts():
            yield from _facts(block)
        case a.Table():
            yield from _table(block)
        case a.Hands():
            yield from _hands(block)
        case a.Steps():
            yield from _steps(block)
        case a.Glossary():
            yield from _glossary(block)
        case _:
            assert_never(block)


def _paragraph(text: str, style: ParagraphStyle, before: str = "") -> Paragraph:
    """`before`: our own markup."""
    return Paragraph(before + escape(drawable(text)), style)


def _toned(text: str, style: ParagraphStyle, tone: a.Tone) -> Paragraph:
    color = TONES.get(tone)
    body = escape(drawable(text))
    return Paragraph(f'<font color="{color}">{body}</font>' if color else body, style)


def _notice(notice: a.Notice) -> Iterator[Flowable]:
    color = TONES.get(notice.tone, "#555d68")
    content = [
        Paragraph(f'<font color="{color}"><b>{escape(drawable(notice.title))}</b></font>', _NORMAL),
        _paragraph(notice.text, _NORMAL),
    ]
    style = TableStyle(
        [
            ("BOX", (0, 0), (-1, -1), 0.5, LINE),
            ("LINEBEFORE", (0, 0), (0, -1), 4, HexColor(color)),
            ("LEFTPADDING", (0, 0), (-1, -1), 10),
        ]
    )
    yield Rows([[content]], colWidths=[WIDTH], style=style)
    yield Spacer(1, 4)


def _facts(facts: a.Facts) -> Iterator[Flowable]:
    rows = [[_paragraph(name, _HEAD), _paragraph(value, _CELL)] for name, value in facts.items]
    style = TableStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), WASH),
            ("BOX", (0, 0), (-1, -1), 0.5, LINE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 1.2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1.2),
        ]
    )
    yield Spacer(1, 3)
    yield Rows(rows, colWidths=[48 * mm, WIDTH - 48 * mm], style=style)
    yield Spacer(1, 5)


def _table(table: a.Table) -> Iterator[Flowable]:
    head = [
        _paragraph(column.name, _HEAD_MONEY if column.money else _HEAD) for column in table.columns
    ]
    rows = [
        [_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)]
        for row in (*table.rows, *table.sums)
    ]
    commands: list[Any] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), LEFT),
        ("RIGHTPADDING", (0, 0), (-1, -1), RIGHT),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, HexColor("#1c1f24")),
        ("LINEBELOW", (0, 1), (-1, -1), 0.4, LINE),
    ]
    if table.sums:
        first = len(table.rows) + 1
        commands.append(("LINEABOVE", (0, first), (-1, first), 0.8, HexColor("#1c1f24")))
        commands.append(("LINEBELOW", (0, -1), (-1, -1), 1.2, HexColor("#1c1f24")))
    yield CondPageBreak(25 * mm)
    yield _paragraph(table.caption, _CAPTION)
    yield Rows(
        [head, *rows],
        colWidths=column_widths(table),
        style=TableStyle(commands),
        repeatRows=1,
    )
    yield Spacer(1, 6)


def _cell(cell: a.Cell, column: a.Column) -> list[Flowable]:
    style = _MONEY if column.money else _CELL
    parts: list[Flowable] = [_toned(line, style, cell.tone) for line in cell.lines]
    if cell.house:
        parts.append(_toned(cell.house, style, a.Tone.HOUSE))
    if cell.cites:
        links = ", ".join(
            f'<a href="#{anchor(cite)}" color="#17468a">{escape(drawable(cite))}</a>'
            for cite in cell.cites
        )
        parts.append(Paragraph(links, style))
    return [beside(cell.cards, 20, parts)] if cell.cards else parts


def _hands(block: a.Hands) -> Iterator[Flowable]:
    for hand in block.hands:
        parts: list[Flowable] = [_toned(hand.title, _CAPTION, a.Tone.PLAIN)]
        groups = [
            [_paragraph(name, _HEAD), CardRow(cards, 34)] for name, cards in hand.groups
        ]
        parts.append(Spacer(1, 1))
        width = (WIDTH - 12) / max(len(groups), 1)
        row = Rows(
            [groups],
            colWidths=[width] * len(groups),
            style=TableStyle([("VALIGN", (0, 0), (-1, -1), "TOP"),
                              ("LEFTPADDING", (0, 0), (-1, -1), 0)]),
        )
        parts += [row, *(_paragraph(text, _CELL) for text in hand.words)]
        if hand.house:
            parts.append(_toned(hand.house, _CELL, a.Tone.HOUSE))
        style = TableStyle([("BOX", (0, 0), (-1, -1), 0.5, LINE),
                            ("BACKGROUND", (0, 0), (-1, -1), WASH)])
        yield Rows([[parts]], colWidths=[WIDTH], style=style)
        yield Spacer(1, 4)


def _steps(block: a.Steps) -> Iterator[Flowable]:
    """In tables of some pages each: at each page ReportLab copies what is left of a table."""
    for first in range(0, len(block.steps), _STEPS_AT_ONCE):
        yield _some_steps(block.steps[first : first + _STEPS_AT_ONCE])


def _some_steps(steps: tuple[a.Step, ...]) -> Flowable:
    rows: list[Any] = []
    commands: list[Any] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
    ]
    for number, step in enumerate(steps):
        color = HexColor(TONES.get(step.tone, "#c9ced6"))
        commands.append(("LINEBEFORE", (0, number), (0, number), 2.5, color))
        rows.append([[_paragraph(step.where, _CELL)], list(_step(step))])
    return Rows(rows, colWidths=[18 * mm, WIDTH - 18 * mm], style=TableStyle(commands))


def _step(step: a.Step) -> Iterator[Flowable]:
    color = TONES.get(step.tone, "#1c1f24")
    about = f"{step.by} ({step.remark})" if step.remark else step.by
    yield Paragraph(
        f'<font color="{color}"><b>{escape(drawable(step.kind))}</b></font>'
        f' <font color="#555d68" size="7.2">{escape(drawable(about))}</font>',
        _CELL,
    )
    lines: list[Flowable] = [_paragraph(line, _CELL) for line in step.lines]
    if step.cards:
        yield beside(step.cards, 22, lines)
    else:
        yield from lines
    yield _paragraph("   ".join(step.when), _SMALL)


def _glossary(block: a.Glossary) -> Iterator[Flowable]:
    for entry in block.paragraphs:
        yield Paragraph(
            f'<a name="{anchor(entry.name)}"/><b>{escape(drawable(entry.name))}</b>', _CAPTION
        )
        yield _paragraph(entry.text, _CELL)
