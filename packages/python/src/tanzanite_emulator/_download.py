"""Downloads a release once into the user's cache, and verifies it with the checksum in this package."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from http.client import HTTPException
from pathlib import Path
from typing import Any, Mapping, Optional

from ._errors import DownloadFailed

CHUNK_BYTES = 1 << 20
TIMEOUT_SECONDS = 60
# A limit that no archive of a release reaches.
ARCHIVE_BYTES_MAX = 256 << 20


def read_releases() -> Mapping[str, Any]:
    """The table that the build wrote: the address of the release, and for each platform the name and the SHA-256 of the archive."""
    text = Path(__file__).with_name("releases.json").read_text("utf-8")
    releases: Mapping[str, Any] = json.loads(text)
    return releases


def platform_name() -> str:
    """This machine's platform, as the names of a release's files contain it: ``linux-x64``."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "win"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    return f"{system}-{processor.get(machine, machine)}"


def release_path(releases: Mapping[str, Any]) -> Optional[Path]:
    """The executable of the release, downloaded if necessary. None if there is no release. Raises DownloadFailed."""
    base = os.environ.get("TANZANITE_DOWNLOAD") or releases.get("url")
    file = releases["files"].get(platform_name())
    if not base or file is None:
        return None
    name, digest = str(file["name"]), str(file["sha256"])
    ending = ".exe" if sys.platform == "win32" else ""
    path = cache_folder() / "releases" / f"tanzanite-{releases['version']}-{digest[:16]}{ending}"
    if not path.is_file():
        fetch(f"{str(base).rstrip('/')}/{name}", path, digest)
    return path


def fetch(url: str, path: Path, digest: str) -> None:
    """Works in a folder that no other process uses, and renames the complete file, so several processes may call it at the same time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix=".downloading-", dir=path.parent) as folder:
            archive = Path(folder) / "archive"
            found = copy_to(url, archive)
            if found != digest:
                raise DownloadFailed(f"{url} has the SHA-256 {found}, and this package wants {digest}")
            program = unpack(archive, Path(folder) / "program", is_zip=url.endswith(".zip"))
            program.chmod(0o700)
            if not path.is_file():
                os.replace(program, path)
    except (OSError, ValueError, KeyError, HTTPException, tarfile.TarError, zipfile.BadZipFile) as error:
        # Windows does not replace a running program. If the file is there, another process has completed it.
        if not path.is_file():
            raise DownloadFailed(f"{url} cannot be downloaded: {reason_of(error)}") from None


def copy_to(url: str, path: Path) -> str:
    hasher = hashlib.sha256()
    written = 0
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response, path.open("wb") as file:
        promised = response.headers.get("Content-Length")
        for chunk in iter(lambda: response.read(CHUNK_BYTES), b""):
            hasher.update(chunk)
            written += len(chunk)
            if written > ARCHIVE_BYTES_MAX:
                raise OSError(f"it is larger than {ARCHIVE_BYTES_MAX} bytes")
            file.write(chunk)
    if promised is not None and written != int(promised):
        raise OSError(f"it stopped after {written} of {promised} bytes")
    return hasher.hexdigest()


def unpack(archive: Path, program: Path, is_zip: bool) -> Path:
    """Writes the only program of an archive. The program is on the disk before it gets its final name."""
    with contextlib.ExitStack() as stack:
        if is_zip:
            source = stack.enter_context(stack.enter_context(zipfile.ZipFile(archive)).open("tanzanite.exe"))
        else:
            member = stack.enter_context(tarfile.open(archive, "r:gz")).extractfile("tanzanite")
            if member is None:
                raise ValueError("it holds no program")
            source = stack.enter_context(member)
        file = stack.enter_context(program.open("wb"))
        shutil.copyfileobj(source, file, CHUNK_BYTES)
        file.flush()
        os.fsync(file.fileno())
    return program


def reason_of(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error)


def cache_folder() -> Path:
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = str(Path.home() / "Library" / "Caches")
    else:
        root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "tanzanite"
