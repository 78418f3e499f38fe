"""The running demo on a terminal, as a table that lives; elsewhere as a line every few seconds."""

from collections.abc import Iterable, Mapping
from typing import Protocol, Self

from rich import box
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from pitledger import words
from services.demo.tables import Table, Tables
from services.demo.vitals import Vitals

_LINE_EVERY_S = 5.0
_OTHER_ROWS = 16
"""Lines of the screen that are not tables' rows."""
_WIDE = 100
"""From so many columns on there is room for how the cards are dealt."""
_SHORT = {"Saigon 5 Card": "Saigon 5", "Five Card Hi-Lo": "Hi-Lo"}
_STYLES = {
    "betting": "cyan",
    "dealing": "blue",
    "setting": "blue",
    "irregular": "bold red",
    "exposed": "magenta",
    "paying": "yellow",
    "settled": "green",
    "voided": "red",
    "closed": "dim",
    "live": "green",
}


class Display(Protocol):
    """Shows the state whenever it is told to; a context manager."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def show(self, tables: Tables, vitals: Iterable[Vitals], elapsed_s: float) -> None: ...


def display_for(console: Console, title: str) -> Display:
    """What fits the console."""
    return LiveTable(console, title) if console.is_terminal else Lines(console)


class LiveTable:
    """On a terminal."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._title = title
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, tables: Tables, vitals: Iterable[Vitals], elapsed_s: float) -> None:
        screen = Group(
            _head(self._title, tables, elapsed_s),
            _floor(tables, self._console.width, max(self._console.height - _OTHER_ROWS, 3)),
            _processors(vitals),
            Text(f" {_amounts_in(tables)}Ctrl-C stops everything", style="dim"),
        )
        self._live.update(screen, refresh=True)


class Lines:
    """In a pipe: a line every few seconds, and one for the end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._next_s = _LINE_EVERY_S
        self._last = ""
        self._line = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line != self._last:
            self._print()

    def show(self, tables: Tables, vitals: Iterable[Vitals], elapsed_s: float) -> None:
        total, counts = tables.total(), tables.counts
        staked, returned, house = _money(total)
        states = list(vitals)
        live = sum(one.live for one in states)
        self._line = (
            f"{elapsed_s:4.0f} s: {counts['opened']} rounds opened, {counts['settled']} settled, "
            f"{counts['voided']} voided; {_amounts_in(tables)}"
            f"staked {staked}, returned {returned}, house {house}; {counts['records']} records, "
            f"{sum(one.decisions for one in states)} decisions; "
            f"{live} of {len(states)} processors live"
        )
        if elapsed_s >= self._next_s:
            self._next_s += _LINE_EVERY_S
            self._print()

    def _print(self) -> None:
        self._console.print(self._line, soft_wrap=True)
        self._last = self._line


def _head(title: str, tables: Tables, elapsed_s: float) -> RenderableType:
    rate = tables.counts["records"] / max(elapsed_s, 1)
    line = Text.assemble((" Pitledger", "bold"), "  ", title)
    line.append(f"  {elapsed_s:.0f} s, {rate:.0f} records/s", style="dim")
    return line


def _floor(tables: Tables, width: int, most_rows: int) -> Grid:
    total, rows, wide = tables.total(), tables.rows, width >= _WIDE
    middle = {"game": 15, "dealt": 14} if wide else {"game": 8}
    grid = _grid({"table": 10, **middle, "#round": 6, "state": 10, "#seats": 5, "#staked": 10,
                  "#returned": 10, "#house": 10})
    for table in rows[:most_rows]:
        cells = (table.game, table.method) if wide else (_SHORT.get(table.game, table.game),)
        grid.add_row(table.table_id, *cells, str(table.round_number), _coloured(table.state),
                     str(table.seats), *_money(table))
    if len(rows) > most_rows:
        grid.add_row(f"{len(rows) - most_rows} more", style="dim")
    grid.add_section()
    counts = tables.counts
    cells = (f"{counts['voided']} voided", "") if wide else (f"{counts['voided']} voided",)
    grid.add_row(f"{counts['settled']} settled", *cells, "", "", "", *_money(total), style="bold")
    return grid


def _processors(vitals: Iterable[Vitals]) -> Grid:
    grid = _grid({"processor": 10, "#pid": 8, "state": 12, "#records": 10, "#decisions": 10,
                  "#behind": 7})
    for one in vitals:
        grid.add_row(one.name, str(one.pid), _coloured(one.state), f"{one.records:,}",
                     f"{one.decisions:,}", f"{one.lag:,}")
    return grid


def _grid(columns: Mapping[str, int]) -> Grid:
    """A table without walls, from headings and least widths; those with a # are of numbers."""
    grid = Grid(box=box.SIMPLE_HEAD, padding=0, header_style="dim")
    for column, least in columns.items():
        justify: JustifyMethod = "right" if column.startswith("#") else "left"
        grid.add_column(column.lstrip("#"), justify=justify, no_wrap=True, min_width=least)
    return grid


def _money(table: Table) -> tuple[str, str, str]:
    return (
        _amount(table.staked, table.currency),
        _amount(table.returned, table.currency),
        _amount(table.house_net, table.currency, sign=True),
    )


def _amounts_in(tables: Tables) -> str:
    currency = tables.total().currency
    return f"amounts in {currency}; " if currency else ""


def _amount(minor: int, currency: str, *, sign: bool = False) -> str:
    """An amount of money without its currency, which stands elsewhere."""
    text = words.money(minor, currency).partition(" ")[0]
    return f"+{text}" if sign and minor > 0 else text


def _coloured(state: str) -> Text:
    return Text(state, style=_STYLES.get(state, ""))
