"""A pytest plugin that writes the outcome of each test as a JSON object per line to the file that SUITE_REPORT names."""

import json
import os
import time

import pytest

# The tests wait up to 45 s for the service to apply a change. The emulator has applied it when it answers, so waits of at least this
# length are skipped. Shorter waits belong to the retry policy under test.
PROPAGATION_SECONDS_MIN = 15

_sleep = time.sleep
time.sleep = lambda seconds: None if seconds >= PROPAGATION_SECONDS_MIN else _sleep(seconds)


@pytest.hookimpl
def pytest_runtest_logreport(report):
    # The call of a test reports that it passed. A failure or a skip may also happen before or after the call.
    if report.when != "call" and report.outcome == "passed":
        return
    line = {"name": report.nodeid, "outcome": report.outcome, "message": _message(report)}
    _write(line)


@pytest.hookimpl
def pytest_collectreport(report):
    if report.failed:
        _write({"name": report.nodeid, "outcome": "failed", "message": str(report.longrepr)})


def _message(report):
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message if crash else str(report.longrepr or "")


def _write(line):
    with open(os.environ["SUITE_REPORT"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
