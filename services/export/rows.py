"""Records into rows."""

from services.export.decisions import DECISIONS
from services.export.event import Event, Rows
from services.export.facts import FACTS

_ROWS = FACTS | DECISIONS


def rows_of(event: Event) -> Rows:
    """All rows of a record that has effect; of most bodies some, of others none."""
    tell = _ROWS.get(event.body)
    if tell is not None:
        for table, own in tell(event):
            yield table, event.envelope | own
