"""What a mirror cries about: its source is not what it was."""


class Alarm(Exception):
    """One line. Nothing of what raised it was taken into the mirror."""
