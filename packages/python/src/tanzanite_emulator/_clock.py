"""The emulator's time, which timestamps, signatures, access policies and capacity follow."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Mapping, NamedTuple, Union

from ._control import Control


class Time(NamedTuple):
    """The emulator's current time."""

    now: datetime
    is_frozen: bool
    offset: timedelta
    """The difference from the machine's time."""


class Clock:
    """Controls the emulator's time, which all accounts of the emulator share."""

    def __init__(self, control: Callable[[], Control], before_turn: Callable[[], None]) -> None:
        self._control = control
        self._before_turn = before_turn
        self.is_turned = False
        """Whether a test changed the time, so that it must be reset."""

    def read(self) -> Time:
        return time_of(self._control().ask("GET", "clock"))

    def advance(self, by: Union[timedelta, float]) -> Time:
        """Moves the time forward by a timedelta or a number of seconds. Returns when everything that has become due is done."""
        seconds = by.total_seconds() if isinstance(by, timedelta) else by
        return self._turn({"advanceMs": round(seconds * 1000)})

    def set(self, moment: Union[datetime, str]) -> Time:
        """Sets the time, forward or back: a datetime with a time zone, or ``2030-01-31T12:00:00Z``."""
        return self._turn({"now": moment if isinstance(moment, str) else text_of(moment)})

    def freeze(self) -> Time:
        return self._turn({"freeze": True})

    def resume(self) -> Time:
        return self._turn({"freeze": False})

    def release(self) -> Time:
        """Returns to the machine's time."""
        self._before_turn()
        time = time_of(self._control().ask("DELETE", "clock"))
        self.is_turned = False
        return time

    def _turn(self, body: Mapping[str, Any]) -> Time:
        self._before_turn()
        self.is_turned = True
        return time_of(self._control().ask("POST", "clock", body))


def text_of(moment: datetime) -> str:
    """A datetime without a time zone is in local time, as everywhere in Python."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def time_of(answer: Mapping[str, Any]) -> Time:
    # Python before 3.11 reads at most six digits of a second, and no Z.
    whole, _, digits = str(answer["now"]).rstrip("Z").partition(".")
    now = datetime.strptime(f"{whole}.{digits[:6] or 0}", "%Y-%m-%dT%H:%M:%S.%f")
    offset = timedelta(milliseconds=float(answer["offsetMs"]))
    return Time(now.replace(tzinfo=timezone.utc), bool(answer["isFrozen"]), offset)
