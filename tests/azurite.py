"""Microsoft's emulator of its blob store, on this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

import pytest

CONTAINER = "container"
# The emulator's one account, the same everywhere: learn.microsoft.com/azure/storage/common/storage-use-azurite
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextmanager
def serve() -> Iterator[str]:
    """Yield the options of URLs into its one container, while it runs."""
    emulator = Path(sys.prefix, "azurite", "node_modules", "azurite", "dist", "src", "blob", "main.js")
    if not emulator.exists():
        pytest.skip("the emulator of az:// is not installed; make test-thorough does it where there is npm")
    command = ["node", str(emulator), "--blobHost", "127.0.0.1", "--blobPort", "0"]
    command += ["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, pytest.MonkeyPatch.context() as patch:
        try:
            assert process.stdout
            address = next(
                found[1] for line in process.stdout if (found := re.search(r"listens on http://(\S+)", line))
            )
            _make_container(address)
            patch.setenv("AZURE_STORAGE_KEY", _KEY)
            yield f"account={_ACCOUNT}&endpoint_override={address}/{_ACCOUNT}&scheme=http"
        finally:
            process.kill()


def _make_container(address: str) -> None:
    """Make it by a signed request (learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key)."""
    path = f"/{_ACCOUNT}/{CONTAINER}"
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    named = "".join(f"{name}:{value}\n" for name, value in headers.items())
    text = "PUT" + 12 * "\n" + f"{named}/{_ACCOUNT}{path}\nrestype:container"
    signature = base64.b64encode(hmac.new(base64.b64decode(_KEY), text.encode(), hashlib.sha256).digest()).decode()
    headers |= {"Authorization": f"SharedKey {_ACCOUNT}:{signature}", "Content-Length": "0"}
    url = f"http://{address}{path}?restype=container"
    urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers)).close()
