from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
FIELD_SINCE_FIELD_NUMBER: _ClassVar[int]
field_since: _descriptor.FieldDescriptor
VALUE_SINCE_FIELD_NUMBER: _ClassVar[int]
value_since: _descriptor.FieldDescriptor
