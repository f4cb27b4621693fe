from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest
from tanzanite_emulator import Account, Tanzanite

pytest_plugins = ["pytester"]

# In a clone of the repository, `npm run build` makes this file.
BUILT = Path(__file__).parents[3] / "dist" / "cli.js"
if BUILT.is_file():
    os.environ.setdefault("TANZANITE", str(BUILT))


@pytest.fixture(scope="session")
def emulator() -> Iterator[Tanzanite]:
    with Tanzanite() as emulator:
        emulator.account().refusals()
        yield emulator


@pytest.fixture
def account(emulator: Tanzanite) -> Account:
    return emulator.account()
