"""The process of an emulator. It ends when its standard input ends, so that it never outlives this process."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from typing import IO, Any, Callable, Mapping, Optional, Sequence

from ._errors import ExecutableNotFound, StartFailed, escape_controls
from ._executable import NOTHING_FOUND, Command, find_commands

STOP_SECONDS = 10
# Of a longer line, only this many bytes are kept.
LINE_BYTES_MAX = 1 << 16

FLAGS = (
    "start",
    "--inMemoryPersistence",
    "--tableHost",
    "127.0.0.1",
    "--accounts",
    "any",
    "--silent",
    "--log-format",
    "json",
    "--until-stdin-ends",
)


class EmulatorProcess:
    """One process. ``ready`` has the members of its ready line: ``url``, ``port``, ``version``."""

    def __init__(self, command: Command, flags: Sequence[str]) -> None:
        self.command = command
        self._owner = os.getpid()
        self._reason = ""
        self._has_answered = threading.Event()
        self.ready: Optional[Mapping[str, Any]] = None
        try:
            self._process = subprocess.Popen(
                [*command.words, *FLAGS, *flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **own_group(),
            )
        except OSError as error:
            raise StartFailed(f"{command.origin} cannot be run: {error.strerror or error}") from None
        self._readers = [
            threading.Thread(target=self._read, args=(self._process.stdout, self._take_output), daemon=True),
            threading.Thread(target=self._read, args=(self._process.stderr, self._take_error), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        atexit.register(self.stop)

    def wait_until_ready(self, timeout: float) -> Mapping[str, Any]:
        """If it fails, stops the emulator and raises StartFailed with the emulator's message."""
        self._has_answered.wait(timeout)
        if self.ready is not None:
            return self.ready
        code = self._process.poll()
        if code is None and not self._has_answered.is_set():
            self.stop()
            raise StartFailed(f"{self.command.origin} was not ready after {timeout:g} seconds")
        self.stop()
        for reader in self._readers:
            reader.join(STOP_SECONDS)
        raise StartFailed(f"{self.command.origin} did not start: {self._end()}")

    @property
    def end_reason(self) -> Optional[str]:
        """Why the emulator ended by itself, or None while it runs."""
        return None if self._process.poll() is None else self._end()

    def _end(self) -> str:
        code = self._process.returncode
        how = f"signal {-code} ended it" if code < 0 else f"it ended with exit code {code}"
        return self._reason or how

    def stop(self) -> None:
        """Stops the emulator gracefully, and after ten seconds by force. May be called again. Does nothing in a fork of this process."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.stop)
        process = self._process
        close(process.stdin)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            kill_group(process)
            process.wait()
        except KeyboardInterrupt:
            kill_group(process)
            process.wait()
            raise
        finally:
            for reader in self._readers:
                reader.join(1)
            close(process.stdout)
            close(process.stderr)

    def _read(self, stream: IO[bytes], take: Callable[[bytes], None]) -> None:
        is_begin = True
        for line in iter(lambda: stream.readline(LINE_BYTES_MAX), b""):
            if is_begin:
                take(line)
            is_begin = line.endswith(b"\n")
        if stream is self._process.stdout:
            self._has_answered.set()

    def _take_output(self, line: bytes) -> None:
        if self.ready is None:
            self.ready = ready_line(line)
            if self.ready is not None:
                self._has_answered.set()

    def _take_error(self, line: bytes) -> None:
        """The last line gives the reason. After a crash, which prints a stack, the first line says more."""
        text = line.decode("utf-8", "replace").strip()
        if text and (not self._reason or text.startswith("tanzanite: ")):
            self._reason = escape_controls(text)


def start_process(
    executable: Optional[str], version: str, flags: Sequence[str], timeout: float
) -> EmulatorProcess:
    """Starts the first emulator that has the version. Raises ExecutableNotFound and StartFailed."""
    others = []
    for command in find_commands(executable):
        process = EmulatorProcess(command, flags)
        found = str(process.wait_until_ready(timeout).get("version", "of an older version"))
        if version in ("any", found):
            return process
        process.stop()
        others.append(f"{command.origin} is {found}")
        if command.is_chosen:
            break
    if others:
        raise ExecutableNotFound(f"this package wants Tanzanite {version}: {', and '.join(others)}")
    raise ExecutableNotFound(NOTHING_FOUND)


def ready_line(line: bytes) -> Optional[Mapping[str, Any]]:
    try:
        fields = json.loads(line)
        is_ready = isinstance(fields, dict) and str(fields.get("url")).startswith(("http://", "https://"))
    except (ValueError, RecursionError):
        return None
    return fields if is_ready else None


def own_group() -> Mapping[str, Any]:
    """Ctrl-C reaches only the tests, which stop the emulator when they have cleaned up."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass


def close(file: Optional[IO[bytes]]) -> None:
    try:
        if file is not None:
            file.close()
    except OSError:
        pass
