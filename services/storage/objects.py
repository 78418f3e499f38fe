"""A bucket of an S3-compatible service, through boto3 (the extra `s3`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from pitledger.archive.store import READ_MAX, StoreError
from pitledger.sources.environment import Environment

AT_ONCE = 16
"""Requests."""
_ATTEMPTS = 5
_CONNECT_S, _ANSWER_S = 5, 20


@dataclass(frozen=True, slots=True)
class Object:
    """What lies under a key; `tag` (S3's ETag) changes with the bytes."""

    data: bytes
    tag: str


class Objects:
    """Requests to a bucket, for the keys below a prefix. Every one raises StoreError."""

    def __init__(self, client: Any, bucket: str, prefix: str) -> None:
        self.client = client
        self.name = f"s3://{bucket}/{prefix}".rstrip("/")
        self._bucket, self._prefix = bucket, prefix and prefix + "/"

    @classmethod
    def open(cls, url: str) -> "Objects":
        """`s3://BUCKET/PREFIX`. Region and credentials by the usual settings, AWS_*; the service
        by PITLEDGER_S3_ENDPOINT, Amazon's where that is not set."""
        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        if not bucket:
            raise StoreError(f"{url}: names no bucket: it is s3://BUCKET or s3://BUCKET/PREFIX")
        config = Config(
            connect_timeout=_CONNECT_S,
            read_timeout=_ANSWER_S,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            max_pool_connections=AT_ONCE + 2,
        )
        try:
            endpoint = Environment().text("S3_ENDPOINT") or None
            client = boto3.client("s3", endpoint_url=endpoint, config=config)
        except (BotoCoreError, ValueError) as error:
            raise StoreError(f"{url}: {' '.join(str(error).split())}") from None
        return cls(client, bucket, prefix.strip("/"))

    def get(self, key: str) -> Object | None:
        """None: nothing is there."""
        with self._told(key):
            try:
                answer = self.client.get_object(Bucket=self._bucket, Key=self._prefix + key)
                if answer["ContentLength"] > READ_MAX:
                    raise StoreError(f"{self.name}/{key}: is longer than {READ_MAX} bytes")
                return Object(answer["Body"].read(), answer["ETag"])
            except self.client.exceptions.NoSuchKey:
                return None

    def put_if(self, key: str, data: bytes, tag: str | None) -> str | None:
        """Put bytes in the place of those with this tag; None: where nothing is. The new tag;
        None where it was otherwise, and nothing is changed."""
        condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
        where = {"Bucket": self._bucket, "Key": self._prefix + key}
        for attempt in range(_ATTEMPTS):
            with self._told(key):
                try:
                    put = self.client.put_object(Body=data, **where, **condition)
                    return str(put["ETag"])
                except ClientError as error:
                    code = error.response["Error"]["Code"]
                    # A conflict: another request for this key is under way.
                    if code == "ConditionalRequestConflict" and attempt + 1 < _ATTEMPTS:
                        continue
                    if code in ("PreconditionFailed", "412") or (tag and code == "NoSuchKey"):
                        return None
                    raise
        raise AssertionError("the last attempt has returned or raised")

    def names(self, folder: str) -> list[str]:
        """What lies right below `folder`/."""
        prefix = f"{self._prefix}{folder}/"
        asked = {"Bucket": self._bucket, "Prefix": prefix, "Delimiter": "/"}
        with self._told(folder):
            pages = list(self.client.get_paginator("list_objects_v2").paginate(**asked))
        found = (each["Key"] for page in pages for each in page.get("Contents", ()))
        return [key.removeprefix(prefix) for key in found]

    def delete(self, key: str) -> None:
        with self._told(key):
            self.client.delete_object(Bucket=self._bucket, Key=self._prefix + key)

    @contextmanager
    def _told(self, key: str) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            told = error.response["Error"]
            reason = f"{told.get('Code', '?')}: {told.get('Message', '')}"
        except BotoCoreError as error:
            reason = str(error)
        else:
            return
        raise StoreError(f"{self.name}/{key}: {' '.join(reason.split())}")
