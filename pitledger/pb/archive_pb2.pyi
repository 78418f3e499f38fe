from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ArchiveLeaf(_message.Message):
    __slots__ = ("sha256", "length", "round", "remainder", "document")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    REMAINDER_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    length: int
    round: ArchivedRound
    remainder: ArchivedRemainder
    document: ArchivedDocument
    def __init__(self, sha256: _Optional[bytes] = ..., length: _Optional[int] = ..., round: _Optional[_Union[ArchivedRound, _Mapping]] = ..., remainder: _Optional[_Union[ArchivedRemainder, _Mapping]] = ..., document: _Optional[_Union[ArchivedDocument, _Mapping]] = ...) -> None: ...

class ArchivedRound(_message.Message):
    __slots__ = ("partition", "offsets", "copied", "table_id", "round_id", "round_number", "gaming_day", "opened_at_ms", "sealed_at_ms")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSETS_FIELD_NUMBER: _ClassVar[int]
    COPIED_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_NUMBER_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    OPENED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    SEALED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    partition: int
    offsets: _containers.RepeatedScalarFieldContainer[int]
    copied: int
    table_id: str
    round_id: str
    round_number: int
    gaming_day: str
    opened_at_ms: int
    sealed_at_ms: int
    def __init__(self, partition: _Optional[int] = ..., offsets: _Optional[_Iterable[int]] = ..., copied: _Optional[int] = ..., table_id: _Optional[str] = ..., round_id: _Optional[str] = ..., round_number: _Optional[int] = ..., gaming_day: _Optional[str] = ..., opened_at_ms: _Optional[int] = ..., sealed_at_ms: _Optional[int] = ...) -> None: ...

class ArchivedRemainder(_message.Message):
    __slots__ = ("partition", "first", "end")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    partition: int
    first: int
    end: int
    def __init__(self, partition: _Optional[int] = ..., first: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class ArchivedDocument(_message.Message):
    __slots__ = ("name", "media_type")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    name: str
    media_type: str
    def __init__(self, name: _Optional[str] = ..., media_type: _Optional[str] = ...) -> None: ...
