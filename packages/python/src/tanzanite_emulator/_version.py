"""The version of this package and of the emulator that it starts. test/unit/repository compares it with package.json."""

VERSION = "0.1.0"
