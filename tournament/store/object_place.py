"""The address of an object store, from a URL, and its credentials, from the environment.

A URL names the bucket, and the store if it isn't the cloud's own. Keys come from the environment variables that the
clouds' own tools use. URLs are shown, recorded and sent to workers, so URLs with keys in them are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from tournament.errors import InputError, RunError


@dataclass(frozen=True)
class _Cloud:
    """A kind of store.

    Attributes:
        bucket: Its word for a bucket.
        options: Options that URLs can have.
        endpoints: Names of environment variables that have an endpoint, the first one preferred.
        remedy: Advice how to give credentials.
    """

    bucket: str
    options: tuple[str, ...]
    endpoints: tuple[str, ...]
    remedy: str


_CLOUDS = {
    "s3": _Cloud(
        "bucket",
        ("endpoint_override", "scheme", "region"),
        ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    "gs": _Cloud(
        "bucket",
        ("endpoint_override", "scheme"),
        ("STORAGE_EMULATOR_HOST",),
        "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
    ),
    "az": _Cloud(
        "container",
        ("endpoint_override", "scheme", "account"),
        ("AZURE_STORAGE_ENDPOINT",),
        "set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run `az login` and set AZURE_USE_AZURE_CLI=true",
    ),
}
_AWS_CREDENTIALS = (
    *("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SKIP_SIGNATURE"),
    *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
)
_STEP = re.compile(r"(?!\.\.?$)[A-Za-z0-9!_.*'()+=@,~-]{1,200}")


class ObjectLocation:
    """A place in an object store, with the settings of its client.

    Attributes:
        url: URL for messages.
        prefix: Prefix of all keys, which ends with a slash; "" if there is none.
        bucket: Name of the bucket.
        kind: Scheme of the URL: s3, gs or az.
        word: The store's word for a bucket.
        remedy: Advice how to give credentials.
        endpoint: Address of the store; "" for the cloud's own.
    """

    def __init__(self, location: str) -> None:
        """Parse the URL.

        Raises:
            InputError: The URL has another scheme, an invalid bucket or prefix, an unknown option, or keys in it. Or
                the endpoint, also from an environment variable, has a name or a password in it.
        """
        try:
            parts = urlsplit(location)
        except ValueError:
            raise InputError(f"{location.partition(':')[0]}://… is not a place for results: it isn't a URL") from None
        bucket = parts.netloc.rpartition("@")[2]
        # Replaced below, once the path is checked.
        self.url = f"{parts.scheme}://{bucket}/…"
        if parts.scheme not in _CLOUDS:
            raise self.bad("name a folder, or a URL of s3://, gs:// or az://")
        cloud = _CLOUDS[parts.scheme]
        self.kind, self.word, self.remedy = parts.scheme, cloud.bucket, cloud.remedy
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        steps = [step for step in parts.path.split("/") if step]
        if "@" in parts.netloc or ":" in parts.netloc:
            raise self.bad(f"keys don't belong in a URL, which others see; {cloud.remedy}")
        if not all(map(_STEP.fullmatch, (parts.netloc, *steps))):
            raise self.bad(f"expected {parts.scheme}://{cloud.bucket}/prefix")
        if parts.fragment or not options.keys() <= set(cloud.options):
            raise self.bad(f"its options can be {', '.join(cloud.options)}; for keys, {cloud.remedy}")
        self.url = f"{parts.scheme}://{bucket}{parts.path}".rstrip("/")
        self.bucket, self.prefix = parts.netloc, "".join(f"{step}/" for step in steps)
        endpoint = options.get("endpoint_override") or _first_set(cloud.endpoints)
        if "@" in endpoint:
            raise self.bad(f"the address of its store has a name or a password in it, which others see; {cloud.remedy}")
        complete = not endpoint or "://" in endpoint
        self.endpoint = endpoint if complete else f"{options.get('scheme', 'https')}://{endpoint}"
        self._options = options

    def bad(self, why: str) -> InputError:
        """Return the error for this URL, which the caller raises."""
        return InputError(f"{self.url} is not a place for results: {why}")

    def settings(self) -> dict[str, str]:
        """Return a client's settings by obstore's names, besides the variables that obstore reads itself.

        Settings without a value are omitted.

        Raises:
            RunError: There are no credentials for s3, and this machine can't ask its cloud for them.
        """
        if self.kind == "gs":
            # An emulator takes any credentials.
            settings = {"base_url": self.endpoint, "bearer_token": _first_set(("STORAGE_EMULATOR_HOST",)) and "none"}
        elif self.kind == "az":
            settings = {
                "endpoint": self.endpoint,
                "account_name": self._options.get("account") or _first_set(("AZURE_STORAGE_ACCOUNT",)),
                "account_key": _first_set(("AZURE_STORAGE_KEY",)),
            }
        else:
            settings = {"endpoint": self.endpoint, "region": self._options.get("region", "")}
            on_no_cloud = os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true"
            # obstore would ask the machine's cloud.
            if on_no_cloud and not _first_set(_AWS_CREDENTIALS):
                raise RunError(f"{self.url} needs credentials, but none were found: {self.remedy}")
        return {name: value for name, value in settings.items() if value}


def _first_set(names: Sequence[str]) -> str:
    """Return the value of the first of these environment variables that is set and isn't empty, or ""."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")
