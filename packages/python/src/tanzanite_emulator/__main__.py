"""``python -m tanzanite_emulator …`` is the command ``tanzanite``: ``start``, ``exec``, ``top``, ``advise`` and the others."""

from __future__ import annotations

import subprocess
import sys

from ._errors import TanzaniteError
from ._executable import NOTHING_FOUND, find_commands


def main() -> int:
    try:
        command = next(find_commands(), None)
    except TanzaniteError as error:
        print(f"tanzanite: {error}", file=sys.stderr)
        return 2
    if command is None:
        print(f"tanzanite: {NOTHING_FOUND}", file=sys.stderr)
        return 2
    process = subprocess.Popen([*command.words, *sys.argv[1:]])
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # Ctrl-C also reaches the command, which then ends gracefully.
            continue


if __name__ == "__main__":
    sys.exit(main())
