"""The errors of this package. Each has a message of one line that says what to do about it."""

from __future__ import annotations

from typing import Optional
from unicodedata import category


class TanzaniteError(Exception):
    """Base of all errors of this package."""


class ExecutableNotFound(TanzaniteError):
    """There is no emulator to start, or the one that was found has another version than this package needs."""


class DownloadFailed(ExecutableNotFound):
    """A release could not be downloaded, or does not have the checksum that this package expects."""


class StartFailed(TanzaniteError):
    """The emulator did not become ready: for example, the port is taken or a flag is wrong."""


class SeedFailed(TanzaniteError):
    """A file is missing, or contains something that the service would refuse. Nothing was changed."""


class Refused(TanzaniteError):
    """The emulator refused a request to its control plane."""

    def __init__(
        self, message: str, *, status: int, code: str, line: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.line = line


def escape_controls(text: str) -> str:
    """Replaces each character that a terminal interprets or does not show with an escape."""
    unsafe = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "".join(f"\\u{ord(char):04x}" if category(char) in unsafe else char for char in text)
