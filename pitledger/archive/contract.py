"""The schema that an archive holds of itself."""

from functools import cache

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pitledger.pb import archive_pb2, journal_pb2, log_pb2


@cache
def contract() -> bytes:
    """A `FileDescriptorSet` of what journal and archive consist of, each file after its imports."""
    found: dict[str, FileDescriptor] = {}
    for module in (log_pb2, journal_pb2, archive_pb2):
        _gather(module.DESCRIPTOR, found)
    files = FileDescriptorSet()
    for file in found.values():
        file.CopyToProto(files.file.add())
    return files.SerializeToString(deterministic=True)


def _gather(file: FileDescriptor, found: dict[str, FileDescriptor]) -> None:
    for needed in file.dependencies:
        _gather(needed, found)
    found.setdefault(file.name, file)
