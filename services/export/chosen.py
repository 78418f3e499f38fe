"""Which rounds, or which rows, are wanted."""

from dataclasses import dataclass

from pitledger.journal.record import JournalRecord


@dataclass(frozen=True, slots=True)
class Chosen:
    """Those of one table, of a gaming day or a month of them ("2026-11"); None: of all."""

    table: str | None = None
    gaming_day: str | None = None

    def __str__(self) -> str:
        table = f"table {self.table}" if self.table is not None else ""
        day = f"gaming day {self.gaming_day}" if self.gaming_day is not None else ""
        return ", ".join(filter(None, (table, day))) or "all rounds"

    @property
    def some(self) -> bool:
        """Whether anything is left out."""
        return self.table is not None or self.gaming_day is not None

    def takes(self, table_id: str, gaming_day: str) -> bool:
        day = self.gaming_day
        return self.table in (None, table_id) and (
            day is None or gaming_day == day or gaming_day.startswith(f"{day}-")
        )

    def takes_round(self, opened: JournalRecord) -> bool:
        return self.takes(opened.table_id, opened.round_opened.gaming_day)
