"""An object store on this machine, for tests that need one."""

from __future__ import annotations

import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BUCKET = "bucket"


@contextmanager
def serve() -> Iterator[str]:
    """The options of URLs into its one bucket, while it runs."""
    from moto.server import ThreadedMotoServer  # takes a second, and few tests need it

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        try:
            bucket = urllib.request.Request(f"http://{host}:{port}/{BUCKET}", method="PUT")
            urllib.request.urlopen(bucket).close()
            yield f"endpoint_override={host}:{port}&scheme=http&region=us-east-1"
        finally:
            server.stop()


def new_location(options: str) -> str:
    """A prefix of the bucket in which nothing is yet."""
    return f"s3://{BUCKET}/{uuid.uuid4().hex}?{options}"
