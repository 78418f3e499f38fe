"""Parts of the PDF: measures and colours, cards as vector shapes, headings, page numbers."""

import time
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, LongTable, Paragraph, TableStyle

from pitledger.cards import Card
from services.packet import cards_drawn
from services.packet.account import Cell, Table, Tone
from services.packet.paper_text import drawable

PLAIN, BOLD = "DejaVuSansCondensed", "DejaVuSansCondensed-Bold"
MARGIN = 16 * mm
WIDTH = A4[0] - 2 * MARGIN - 12
"""Of what stands on a page; a frame pads it by 6 points on each side."""

INK, SOFT = HexColor("#1c1f24"), HexColor("#555d68")
LINE, WASH = HexColor("#c9ced6"), HexColor("#f4f6f8")
TONES = {
    Tone.GOOD: "#1d6b3a",
    Tone.BAD: "#a3231f",
    Tone.REFUSED: "#a3231f",
    Tone.NOTE: "#8a6100",
    Tone.HOUSE: "#6a4a00",
    Tone.DECISION: "#17468a",
    Tone.IDLE: "#555d68",
}

TOP, BOTTOM = 16 * mm, 18 * mm
_PAGE = A4[1] - TOP - BOTTOM - 12
"""The height of what stands on a page."""

_GAP = 2.5
_CELL_SIZE, _HEAD_SIZE = 7.8, 7.2
LEFT, RIGHT = 4, 5
"""Of a cell: so much that an amount, at its right, stands clear of the words beside it."""
_PADDING = LEFT + RIGHT + 1


class Rows(LongTable):
    """A table that is cut between its rows, and within one only if it is higher than a page."""

    def split(self, width: float, height: float) -> list[Flowable]:
        parts = super().split(width, height)
        if not parts and height > 0.9 * _PAGE:
            self.splitInRow = 1
            parts = super().split(width, height)
            self.splitInRow = 0
        return list(parts)


class CardRow(Flowable):
    """Cards beside each other, of this height in points; as many rows as they need."""

    def __init__(self, cards: tuple[Card, ...], height: float) -> None:
        super().__init__()
        self._cards, self._height = cards, height
        self._width = height * cards_drawn.WIDTH / cards_drawn.HEIGHT
        self._in_a_row = 1

    def wrap(self, available: float, _height: float) -> tuple[float, float]:
        self._in_a_row = max(1, int((available + _GAP) // (self._width + _GAP)))
        rows = -(-len(self._cards) // self._in_a_row)
        return available, rows * (self._height + _GAP)

    def draw(self) -> None:
        rows = -(-len(self._cards) // self._in_a_row)
        for number, card in enumerate(self._cards):
            row, column = divmod(number, self._in_a_row)
            x = column * (self._width + _GAP)
            y = (rows - 1 - row) * (self._height + _GAP) + _GAP / 2
            _draw_card(self.canv, card, x, y, self._height / cards_drawn.HEIGHT)


def beside(cards: tuple[Card, ...], height: float, text: list[Flowable]) -> Flowable:
    """A few cards, and what is said of them at their right."""
    row = CardRow(cards, height)
    width = len(cards) * (height * cards_drawn.WIDTH / cards_drawn.HEIGHT + _GAP) + 4
    style = TableStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
            *((f"{side}PADDING", (0, 0), (-1, -1), 0) for side in ("LEFT", "TOP", "BOTTOM")),
        ]
    )
    return LongTable([[row, text]], colWidths=[width, "*"], style=style)


def _draw_card(canvas: Canvas, card: Card, x: float, y: float, scale: float) -> None:
    face = cards_drawn.face(card)
    width, height = cards_drawn.WIDTH, cards_drawn.HEIGHT
    canvas.saveState()
    canvas.translate(x, y)
    canvas.scale(scale, scale)
    canvas.setLineWidth(1.5)
    canvas.setStrokeColor(HexColor("#7a828d"))
    canvas.setFillColor(HexColor("#ffffff"))
    canvas.roundRect(1, 1, width - 2, height - 2, 5, stroke=1, fill=1)
    canvas.setFillColor(HexColor(face.color))
    if face.suit is None:
        size = 12 if len(face.label) > 2 else 32
        canvas.setFont(BOLD, size)
        canvas.drawCentredString(width / 2, height / 2 - size / 3, face.label)
    else:
        canvas.setFont(BOLD, 20)
        canvas.drawString(6, height - 23, face.label)
        canvas.translate(14, height - 32)
        canvas.scale(0.3, -0.3)
        _fill(canvas, face.suit)
    canvas.restoreState()


def _fill(canvas: Canvas, segments: tuple[cards_drawn.Segment, ...]) -> None:
    path = canvas.beginPath()
    draw = {"M": path.moveTo, "L": path.lineTo, "C": path.curveTo, "Z": path.close}
    for letter, numbers in segments:
        draw[letter](*numbers)
    canvas.drawPath(path, stroke=0, fill=1, fillMode=1)


class Heading(Paragraph):
    """A section's heading, with a line below it and an entry in the outline."""

    def __init__(self, text: str, style: ParagraphStyle, key: str) -> None:
        own = ParagraphStyle("h", style, spaceBefore=14, spaceAfter=5)
        super().__init__(escape(text), own)
        self._title, self._key = text, key

    def draw(self) -> None:
        canvas = self.canv
        canvas.bookmarkHorizontal(self._key, 0, self.height)
        canvas.addOutlineEntry(self._title, self._key, 0)
        super().draw()
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(1)
        canvas.line(0, -2, self.width, -2)


class NumberedCanvas(Canvas):
    """Writes "page 2 of 5" once it is known how many there are."""

    footer = ""
    made_at = time.gmtime(0)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._pages: list[dict[str, Any]] = []
        # `invariant` alone would date each document of the year 2000.
        self._doc._timeStamp.YMDhms = tuple(self.made_at)[:6]

    @classmethod
    def made(cls, at_us: int, footer: str) -> type["NumberedCanvas"]:
        """`at_us`: the moment of making, microseconds since 1970."""
        made_at = time.gmtime(at_us // 1_000_000)
        return type("_Numbered", (cls,), {"footer": footer, "made_at": made_at})

    def showPage(self) -> None:  # noqa: N802 (reportlab's name)
        self._pages.append(dict(self.__dict__))
        self._startPage()

    def save(self) -> None:
        for number, page in enumerate(self._pages, 1):
            self.__dict__.update(page)
            self.setFont(PLAIN, 7)
            self.setFillColor(SOFT)
            self.drawString(MARGIN + 6, 10 * mm, _fitting(self.footer, WIDTH - 70))
            right = A4[0] - MARGIN - 6
            self.drawRightString(right, 10 * mm, f"page {number} of {len(self._pages)}")
            super().showPage()
        super().save()


def _fitting(text: str, width: float) -> str:
    while stringWidth(text, PLAIN, 7) > width:
        text = text[: len(text) * 9 // 10] + "…"
    return text


def column_widths(table: Table) -> list[float]:
    """Points. A column has its longest line if there is room, and its longest word at least."""
    natural, least = [], []
    for number, column in enumerate(table.columns):
        texts = [column.name, *_texts(table, number)]
        lines = [_measure(text) for text in texts]
        words = [_measure(word) for text in texts for word in text[:200].split()]
        natural.append(min(max(lines), WIDTH * 0.6) + _PADDING)
        longest = max(lines) if column.money else max(words, default=0.0)
        least.append(min(longest, WIDTH / len(table.columns)) + _PADDING)
    spare = WIDTH - sum(least)
    wanted = [max(0.0, n - m) for n, m in zip(natural, least, strict=True)]
    if spare <= 0:
        return [width * WIDTH / sum(least) for width in least]
    if sum(wanted) <= spare:
        left = (spare - sum(wanted)) / len(wanted)
        return [m + w + left for m, w in zip(least, wanted, strict=True)]
    return [m + w * spare / sum(wanted) for m, w in zip(least, wanted, strict=True)]


def _texts(table: Table, number: int) -> Iterator[str]:
    for row in (*table.rows, *table.sums):
        cell: Cell = row[number]
        yield from cell.lines
        yield cell.house
        if cell.cites:
            yield ", ".join(cell.cites)


def _measure(text: str) -> float:
    return float(stringWidth(drawable(text[:200]), PLAIN, _CELL_SIZE))
