"""Why there is no packet."""


class NoPacket(Exception):
    """One line: what is missing, damaged or not allowed. Nothing was written."""
