from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WagerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAGER_KIND_UNSPECIFIED: _ClassVar[WagerKind]
    WAGER_KIND_ANTE: _ClassVar[WagerKind]
    WAGER_KIND_BONUS: _ClassVar[WagerKind]
    WAGER_KIND_POT: _ClassVar[WagerKind]
    WAGER_KIND_TIE: _ClassVar[WagerKind]
    WAGER_KIND_POKER_BONUS: _ClassVar[WagerKind]
WAGER_KIND_UNSPECIFIED: WagerKind
WAGER_KIND_ANTE: WagerKind
WAGER_KIND_BONUS: WagerKind
WAGER_KIND_POT: WagerKind
WAGER_KIND_TIE: WagerKind
WAGER_KIND_POKER_BONUS: WagerKind

class Odds(_message.Message):
    __slots__ = ("win", "stake")
    WIN_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    win: int
    stake: int
    def __init__(self, win: _Optional[int] = ..., stake: _Optional[int] = ...) -> None: ...

class Stake(_message.Message):
    __slots__ = ("kind", "amount_minor")
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    kind: WagerKind
    amount_minor: int
    def __init__(self, kind: _Optional[_Union[WagerKind, str]] = ..., amount_minor: _Optional[int] = ...) -> None: ...
