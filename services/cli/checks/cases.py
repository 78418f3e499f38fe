"""What cases wait for: answers and postings that the facts derive and nobody has written."""

from collections.abc import Iterator
from itertools import groupby

from pitledger.cases.journal import Cases
from pitledger.words import moment
from services.cli.checks.finding import Finding, ago
from services.cli.output import counted
from services.runtime.settings import CASES

_DO = (
    f"see whether the process {CASES} runs and is ready (/healthz, its log), and start it; what is"
    " missing is written then"
)


def findings(cases: Cases, now_ms: int, patience_ms: int) -> Iterator[Finding]:
    """A finding for each case; `patience_ms`: so long an answer may only be on its way."""
    late = [one for one in cases.missing() if now_ms - one.at_ms >= patience_ms]
    late.sort(key=lambda one: (one.table_id, one.case_id, one.at_ms))
    for (table_id, case_id), missing in groupby(late, lambda one: (one.table_id, one.case_id)):
        first, *more = missing
        case = cases.tables[table_id].cases[case_id]
        number = case.settlement.round_number if case.settlement else case.round_id
        text = (
            f"case {case_id} about {table_id}/{number}: {counted(1 + len(more), 'record')} by"
            f" {CASES} missing since {moment(1000 * first.at_ms)} ({ago(now_ms - first.at_ms)})"
        )
        yield Finding("unanswered", text, _DO, table=table_id, round_id=case.round_id, owner=CASES,
                      partition=first.partition, offset=first.offset, since_ms=first.at_ms,
                      detail=case_id)
