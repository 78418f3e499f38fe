"""The independent auditor: what the journal's facts derive, worked out a second time.

It shares no code with the settlement: it reads the journal's records and the contract, nothing
else, and adjudicates by brute force from the text of the rules.
"""

from pitledger.audit.auditor import Auditor, AuditReport, TableMoney, audit
from pitledger.audit.finding import Finding, Witness
from pitledger.audit.report import render

__all__ = ["AuditReport", "Auditor", "Finding", "TableMoney", "Witness", "audit", "render"]
