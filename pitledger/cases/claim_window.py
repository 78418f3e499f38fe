"""How long a claim may be heard: the property's setting, within what is no window at all."""

WINDOW_DAYS_MAX = 3650
"""Days. Of case version 1, for ever."""
