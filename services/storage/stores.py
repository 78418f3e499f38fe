"""Where an archive lies, by what it is called on a command line or in a setting."""

from pathlib import Path

from pitledger.archive.store import Store, StoreError
from services.storage.folder import Folder


def is_bucket(name: str) -> bool:
    return name.startswith("s3://")


def open_store(name: str) -> Store:
    """A folder's path, or `s3://BUCKET/PREFIX`. Raises StoreError."""
    if not is_bucket(name):
        return Folder(Path(name))
    try:
        from services.storage.bucket import Bucket
    except ImportError:
        raise StoreError(f"{name}: needs boto3: pip install 'pitledger[s3]'") from None
    return Bucket.open(name)
