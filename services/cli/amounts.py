"""Amounts as people type them: `15.00`, `-0.50`, exact to the currency's minor unit."""

import re

from services.cli.output import fail

_AMOUNT = re.compile(r"([+-]?)([0-9]{1,15})(?:\.([0-9]{1,3}))?")


def minor_units(option: str, text: str, currency: str) -> int:
    """Failed for what is no definite amount of this currency."""
    from pitledger.words import exponent

    found, digits = _AMOUNT.fullmatch(text), exponent(currency)
    if found is None or len(found[3] or "") not in (0, digits):
        example = "15" + (f".{'0' * digits}" if digits else "")
        fail(f"{option} {text}: is no definite amount of {currency or 'money'}, as {example}")
    minor: int = int(found[2]) * 10**digits + int(found[3] or 0)
    return -minor if found[1] == "-" else minor
