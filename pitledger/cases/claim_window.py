"""How long a claim may be heard: the property's setting, within what is no window at all."""

WINDOW_DAYS = 30
"""Days; the Pa. Gaming Control Board's. A claim that is filed later is marked so, even where its
case has a longer window."""
WINDOW_DAYS_MAX = 3650
"""Days. Of case version 1, for ever."""
