"""Fills tables of an account from files, folders of files, and dictionaries. If one table cannot be filled, none is changed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from ._control import Control, name_in_path
from ._entity_lines import entity_line
from ._errors import Refused, SeedFailed, TanzaniteError
from ._executable import NOTHING_FOUND, find_commands

Source = Union[str, "os.PathLike[str]", Mapping[str, Iterable[Mapping[str, Any]]]]
"""A file such as ``People.ndjson``, a folder of such files, or ``{"People": [{"PartitionKey": …}]}``."""

# The emulator accepts requests of up to 8 MiB. A batch may exceed BATCH_BYTES by one entity, and an entity is far smaller than 4 MiB.
BATCH_BYTES = 4 << 20
LINE_FILES = (".ndjson", ".jsonl")
POLICIES = "tables.json"
# The emulator carries out up to sixteen loads at a time; a further load is tried again.
TRIES, PAUSE_SECONDS = 200, 0.05


class Table(NamedTuple):
    name: str
    lines: Iterable[bytes]
    origin: str
    unit: str
    policies: Sequence[Mapping[str, Any]] = ()


def seed(control: Control, account: str, sources: Sequence[Source], executable: Optional[str]) -> Dict[str, int]:
    """Returns how many entities each table holds. If it raises SeedFailed, nothing has changed."""
    paths = [Path(source) for source in sources if not isinstance(source, Mapping)]
    for path in paths:
        if not path.exists():
            raise SeedFailed(f"there is no file or folder {path}")
    if any(is_csv(file) for path in paths for file in files_of(path)):
        tables = [source for source in sources if isinstance(source, Mapping)]
        counts = seed_by_command(control, account, paths, executable)
        return {**counts, **(load(control, account, list(tables_of(tables))) if tables else {})}
    return load(control, account, list(tables_of(sources)))


def load(control: Control, account: str, tables: List[Table]) -> Dict[str, int]:
    name = begin(control, account)
    where = f"seed/{name}/tables"
    try:
        counts = {table.name: add(control, f"{where}/{name_in_path(table.name)}", table) for table in tables}
        control.ask("POST", f"seed/{name}/finish")
        return counts
    except BaseException as error:
        abandon(control, name)
        if isinstance(error, Refused):
            raise SeedFailed(str(error)) from None
        raise


def begin(control: Control, account: str) -> str:
    for attempt in range(TRIES):
        try:
            return str(control.ask("POST", "seed", {"account": account})["load"])
        except Refused as refusal:
            if refusal.code != "TooManyLoads" or attempt == TRIES - 1:
                raise
            time.sleep(PAUSE_SECONDS)
    raise AssertionError("unreachable")


def abandon(control: Control, name: str) -> None:
    try:
        control.ask("DELETE", f"seed/{name}")
    except TanzaniteError:
        # The emulator discards the load after a minute.
        pass


def add(control: Control, path: str, table: Table) -> int:
    body = {"signedIdentifiers": list(table.policies)} if table.policies else {}
    try:
        control.ask("PUT", path, body)
    except Refused as refusal:
        raise SeedFailed(f"{table.origin}: {refusal}") from None
    sent = 0
    total = 0
    for lines in batches(table.lines):
        try:
            total = int(control.ask("POST", path, b"".join(lines))["entities"])
        except Refused as refusal:
            place = "" if refusal.line is None else f", {table.unit} {sent + refusal.line}"
            raise SeedFailed(f"{table.origin}{place}: {refusal}") from None
        sent += len(lines)
    return total


def batches(lines: Iterable[bytes]) -> Iterator[List[bytes]]:
    batch: List[bytes] = []
    size = 0
    for line in lines:
        if batch and size + len(line) > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch


def tables_of(sources: Iterable[Source]) -> Iterator[Table]:
    for source in sources:
        if isinstance(source, Mapping):
            yield from tables_of_mapping(source)
        else:
            yield from tables_of_path(Path(source))


def tables_of_mapping(source: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[Table]:
    for name, entities in source.items():
        try:
            lines = [entity_line(entity) for entity in entities]
        except (TypeError, ValueError, AttributeError) as error:
            raise SeedFailed(f"table {name}: {error}") from None
        yield Table(name, lines, f"table {name}", "entity")


def tables_of_path(path: Path) -> Iterator[Table]:
    files = files_of(path)
    if not files:
        kinds = ".ndjson, .jsonl, .json or .csv"
        raise SeedFailed(f"{path} holds no file of a table ({kinds})" if path.is_dir() else f"{path} is no {kinds} file")
    policies = read_policies(path / POLICIES) if path.is_dir() else {}
    for file in files:
        name = file.name.split(".")[0]
        if file.suffix in LINE_FILES:
            yield Table(name, lines_of(file), str(file), "line", policies.get(name, ()))
        else:
            yield Table(name, elements_of(file), str(file), "entity", policies.get(name, ()))


def files_of(path: Path) -> List[Path]:
    if path.is_dir():
        return sorted(file for file in path.iterdir() if is_table(file) and not file.name.startswith("."))
    return [path] if is_table(path) else []


def is_table(path: Path) -> bool:
    return path.is_file() and path.name != POLICIES and path.suffix in (*LINE_FILES, ".json", ".csv")


def is_csv(path: Path) -> bool:
    return path.suffix == ".csv"


def lines_of(path: Path) -> List[bytes]:
    text = path.read_bytes()
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]
    return [line + b"\n" for line in text.split(b"\n")]


def elements_of(path: Path) -> List[bytes]:
    content = read_json(path)
    if isinstance(content, dict) and isinstance(content.get("value"), list):
        content = content["value"]
    if not isinstance(content, list):
        raise SeedFailed(f"{path} is neither an array of entities nor the response to a query")
    return [json.dumps(entity).encode("ascii") + b"\n" for entity in content]


def read_policies(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    content = read_json(path)
    if not isinstance(content, dict):
        raise SeedFailed(f"{path} is not an object of access policies")
    return content


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise SeedFailed(f"{path} is not JSON: {error}") from None


def seed_by_command(
    control: Control, account: str, paths: Sequence[Path], executable: Optional[str]
) -> Dict[str, int]:
    """The command loads CSV files, because only it can read the types in them."""
    command = next(find_commands(executable), None)
    if command is None:
        raise SeedFailed(f"CSV is read by the command, and {NOTHING_FOUND}")
    words = [*command.words, "seed", *map(str, paths), "--url", control.url, "--account", account, "--json"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise SeedFailed((said[-1] if said else f"exit code {done.returncode}").replace("tanzanite: ", "", 1))
    return {str(table["name"]): int(table["entities"]) for table in json.loads(done.stdout)["tables"]}
