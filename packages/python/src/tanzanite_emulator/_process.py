"""The process of an emulator. It ends when its standard input does, so that it never outlives this process."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from typing import IO, Any, Deque, Mapping, Optional, Sequence

from ._errors import ExecutableNotFound, StartFailed
from ._executable import NOTHING_FOUND, Command, find_commands

STOP_SECONDS = 10
LINES_KEPT = 50

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
    """One process. ``ready`` is its ready line: ``url``, ``port``, ``version``."""

    def __init__(self, command: Command, flags: Sequence[str]) -> None:
        self.command = command
        self._owner = os.getpid()
        self._errors: Deque[str] = deque(maxlen=LINES_KEPT)
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
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        atexit.register(self.stop)

    def wait_until_ready(self, timeout: float) -> Mapping[str, Any]:
        """Raises StartFailed, with what the emulator said. It is stopped then."""
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
        said = next((line for line in reversed(self._errors) if line), "")
        reason = said or f"it ended with exit code {self._process.returncode}"
        raise StartFailed(f"{self.command.origin} did not start: {reason}")

    def stop(self) -> None:
        """In order; after ten seconds by force. May be called again. A process that was forked from this one leaves it alone."""
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

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if self.ready is None:
                self.ready = ready_line(line)
                if self.ready is not None:
                    self._has_answered.set()
        self._has_answered.set()

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.append(line.decode("utf-8", "replace").strip())


def start_process(
    executable: Optional[str], version: str, flags: Sequence[str], timeout: float
) -> EmulatorProcess:
    """The first emulator that has the version. Raises ExecutableNotFound and StartFailed."""
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
    except ValueError:
        return None
    return fields if isinstance(fields, dict) and "url" in fields and "port" in fields else None


def own_group() -> Mapping[str, Any]:
    """Ctrl-C reaches the tests, which stop the emulator when they have put everything back."""
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


