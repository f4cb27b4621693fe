"""What goes wrong, each with one line that says what to do about it."""

from __future__ import annotations

from typing import Optional
from unicodedata import category


class TanzaniteError(Exception):
    """Base of all errors of this package."""


class ExecutableNotFound(TanzaniteError):
    """There is no emulator to start, or it is of another version than this package wants."""


class DownloadFailed(ExecutableNotFound):
    """A release could not be fetched, or is not the one whose checksum this package holds."""


class StartFailed(TanzaniteError):
    """The emulator did not become ready: the port is taken, or a flag does not fit."""


class SeedFailed(TanzaniteError):
    """A file is missing, or holds what the service would refuse. Nothing was changed."""


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
    """Writes an escape for each character that a terminal interprets or does not show."""
    unsafe = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "".join(f"\\u{ord(char):04x}" if category(char) in unsafe else char for char in text)
