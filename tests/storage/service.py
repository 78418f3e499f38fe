"""An S3 service of our own (moto's), which notes each request and can be told to do otherwise."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

import boto3
from botocore.config import Config
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from services.storage.bucket import Bucket
from services.storage.objects import Objects

BUCKET = "archives"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes
    condition: str
    who: str


@dataclass
class Service:
    """`heeds`: whether it knows conditions of puts. `before`: called with each request, in its
    thread; what it raises ends the connection without an answer."""

    heeds: bool = True
    before: Callable[[Request], None] = lambda _: None
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self):
        self._clients = {}
        self._app = DomainDispatcherApplication(create_backend_app)
        self._one_at_a_time = threading.RLock()  # moto's own check and put are two steps
        self._server = make_server("127.0.0.1", 0, self._serve, threaded=True)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.client().create_bucket(Bucket=BUCKET)

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def client(self, who=""):
        """One for each: it is made slowly."""
        if who not in self._clients:
            self._clients[who] = self._new_client(who)
        return self._clients[who]

    def _new_client(self, who):
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
            config=Config(
                retries={"total_max_attempts": 1},
                max_pool_connections=20,
                request_checksum_calculation="when_required",  # bodies as they are
                user_agent_extra=f"who/{who}",
            ),
        )

    def bucket(self, prefix, lease_s=60.0, who=""):
        """As another process would open it."""
        return Bucket(Objects(self.client(who), BUCKET, prefix), lease_s)

    def environment(self):
        return {
            "PITLEDGER_S3_ENDPOINT": self.endpoint,
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def keys(self, prefix):
        pages = self.client().get_paginator("list_objects_v2")
        pages = pages.paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
        found = (each["Key"] for page in pages for each in page.get("Contents", ()))
        return sorted(key.removeprefix(f"{prefix}/") for key in found)

    def let_time_pass(self, prefix):
        """As long as a lock's holder must be silent to be followed."""
        lock = self.bucket(prefix).read("lock")
        if lock is not None:
            self.put(prefix, "lock", json.dumps(json.loads(lock) | {"lease_s": 0.01}).encode())

    def put(self, prefix, key, data):
        self.client().put_object(Bucket=BUCKET, Key=f"{prefix}/{key}", Body=data)

    def _serve(self, environ, start_response):
        if not self.heeds:
            environ.pop("HTTP_IF_MATCH", None)
            environ.pop("HTTP_IF_NONE_MATCH", None)
        condition = environ.get("HTTP_IF_MATCH") or environ.get("HTTP_IF_NONE_MATCH") or ""
        ended = environ.get("wsgi.input_terminated")
        length = -1 if ended else int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        environ["wsgi.input"] = BytesIO(body)
        who = environ["HTTP_USER_AGENT"].rpartition("who/")[2]
        request = Request(environ["REQUEST_METHOD"], environ["PATH_INFO"], body, condition, who)
        self.before(request)
        with self._one_at_a_time:
            self.requests.append(request)
            return list(self._app(environ, start_response))
