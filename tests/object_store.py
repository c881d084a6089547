"""An object store on this machine, for tests that need one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import boto3
import pytest
from moto.server import ThreadedMotoServer

BUCKET = "bucket"


@contextmanager
def serve() -> Iterator[str]:
    """The options of URLs into its one bucket, while it runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        try:
            client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1")
            client.create_bucket(Bucket=BUCKET)
            yield f"endpoint_override={host}:{port}&scheme=http&region=us-east-1"
        finally:
            server.stop()


def new_location(options: str) -> str:
    """A prefix of the bucket in which nothing is yet."""
    return f"s3://{BUCKET}/{uuid.uuid4().hex}?{options}"
