"""Microsoft's emulator of its blob store, on this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from pathlib import Path

import pytest

CONTAINER = "container"
_VERSION = "3.37.0"
# The emulator's one account, the same everywhere: learn.microsoft.com/azure/storage/common/storage-use-azurite
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextmanager
def serve() -> Iterator[str]:
    """The options of URLs into its one container, while it runs. The first time it is installed, by npm."""
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("npm is not installed, with which the emulator of az:// comes")
    command = ["node", str(_installed()), "--blobHost", "127.0.0.1", "--blobPort", "0"]
    command += ["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as emulator,
        pytest.MonkeyPatch.context() as patch,
    ):
        try:
            assert emulator.stdout
            address = next(
                found[1] for line in emulator.stdout if (found := re.search(r"listens on http://(\S+)", line))
            )
            _make_container(address)
            patch.setenv("AZURE_STORAGE_KEY", _KEY)
            yield f"account={_ACCOUNT}&endpoint_override={address}/{_ACCOUNT}&scheme=http"
        finally:
            emulator.kill()


def _installed() -> Path:
    folder = Path(sys.prefix) / f"azurite-{_VERSION}"
    if not folder.exists():
        aside = folder.with_name(f"{folder.name}-{os.getpid()}")
        # Without retries: where there is no registry, that is soon known.
        quick = ["--fetch-retries=0", "--silent", "--no-audit", "--no-fund"]
        npm = ["npm", "install", *quick, "--prefix", str(aside), f"azurite@{_VERSION}"]
        if subprocess.run(npm, check=False).returncode:
            pytest.skip("npm can't install the emulator of az:// here")
        with suppress(OSError):  # another process of the tests was faster
            aside.rename(folder)
        shutil.rmtree(aside, ignore_errors=True)
    return folder / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"


def _make_container(address: str) -> None:
    """By a signed request (learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key)."""
    path = f"/{_ACCOUNT}/{CONTAINER}"
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    named = "".join(f"{name}:{value}\n" for name, value in headers.items())
    text = "PUT" + 12 * "\n" + f"{named}/{_ACCOUNT}{path}\nrestype:container"
    signature = base64.b64encode(hmac.new(base64.b64decode(_KEY), text.encode(), hashlib.sha256).digest()).decode()
    headers |= {"Authorization": f"SharedKey {_ACCOUNT}:{signature}", "Content-Length": "0"}
    url = f"http://{address}{path}?restype=container"
    urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers)).close()
