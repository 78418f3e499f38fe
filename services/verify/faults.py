"""The two ways in which a verification ends badly."""


class Bad(Exception):
    """The archive is not what it says. One line: the entry or the file, and what is wrong."""


class BadInput(Exception):
    """There is nothing to verify: no archive, no key, or one of another log. One line."""
