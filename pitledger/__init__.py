"""Pitledger: records, adjudicates and proves every round of a casino's carnival table games."""

__version__ = "0.1.0"
