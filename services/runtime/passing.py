"""What a group's coordinator answers in passing: while it moves to another broker, say.

aiokafka takes each answer to a join or a sync that it has no branch for as fatal, and tells of it
as a plain KafkaError whose text is the broker's error. Whether another attempt mends it is lost.
"""

from aiokafka import errors

PASSING_S = 30.0
"""So long it is tried again; aiokafka also takes for UnknownError what it does not know."""

_PASSING = {
    repr(error())
    for error in (*errors.kafka_errors.values(), errors.UnknownError)
    if error.retriable or error is errors.UnknownError
}


def may_pass(error: BaseException) -> bool:
    """Whether the coordinator may answer another attempt otherwise."""
    return type(error) is errors.KafkaError and error.args[:1] != () and error.args[0] in _PASSING
