"""Tanzanite, the emulator of the Azure Table service, for tests in Python."""

from ._account import Account, Refusal, Refusals
from ._clock import Clock, Time
from ._emulator import Tanzanite
from ._errors import (
    DownloadFailed,
    ExecutableNotFound,
    Refused,
    SeedFailed,
    StartFailed,
    TanzaniteError,
)
from ._faults import Faults
from ._version import VERSION as __version__

__all__ = [
    "Account",
    "Clock",
    "DownloadFailed",
    "ExecutableNotFound",
    "Faults",
    "Refusal",
    "Refusals",
    "Refused",
    "SeedFailed",
    "StartFailed",
    "Tanzanite",
    "TanzaniteError",
    "Time",
    "__version__",
]
