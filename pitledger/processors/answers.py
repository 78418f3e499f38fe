"""Answers to requests, as all four processors give them."""

from collections.abc import Iterable

from pitledger.pb import decisions_pb2 as pb


def refused(
    refusal: pb.Refusal, citations: Iterable[str] = (), asked: int = 0, limit: int = 0
) -> pb.Answer:
    """One refused item, with its operands."""
    return pb.Answer(refusal=refusal, citations=citations, asked_minor=asked, limit_minor=limit)


def answered(refusal: pb.Answer | None) -> pb.RequestAnswered:
    """The answer to a request that has one item: refused, or (None) accepted."""
    return pb.RequestAnswered(answers=[refusal or pb.Answer()])
