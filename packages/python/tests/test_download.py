"""A release is downloaded once; here, from a server that the test starts."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest
from tanzanite_emulator import DownloadFailed, Tanzanite, __version__, _download, _executable
from tanzanite_emulator._download import platform_name, release_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the program of these tests is a script with #!")

PROGRAM = f"""#!{sys.executable}
import sys
print('{{"url":"http://127.0.0.1:1","port":1,"version":"{__version__}"}}', flush=True)
sys.stdin.read()
""".encode()


def archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in (("LICENSE", b"MIT"), ("tanzanite", PROGRAM)):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
    return buffer.getvalue()


class Server:
    def __init__(self) -> None:
        self.content = archive()
        self.digest = hashlib.sha256(self.content).hexdigest()
        self.asked: List[str] = []
        self.status = 200
        self.moved: Optional[str] = None
        self.is_moved_again = False
        self.sent_bytes = len(self.content)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                if server.moved is not None:
                    self.send_response(302)
                    self.send_header("Location", server.moved)
                    self.end_headers()
                    if not server.is_moved_again:
                        server.moved = None
                    return
                self.send_response(server.status)
                self.send_header("Content-Length", str(len(server.content)))
                self.end_headers()
                self.wfile.write(server.content[: server.sent_bytes])

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v{__version__}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def releases(self) -> Dict[str, Any]:
        name = f"tanzanite-{platform_name()}.tar.gz"
        files = {platform_name(): {"name": name, "sha256": self.digest}}
        return {"version": __version__, "url": None, "files": files}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    server = Server()
    monkeypatch.setenv("TANZANITE_DOWNLOAD", server.url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_download, "cache_folder", lambda: tmp_path / "tanzanite")
    yield server
    server.http.shutdown()
    server.http.server_close()


def left_in(path: Path) -> List[str]:
    folder = path / "tanzanite" / "releases"
    return os.listdir(folder) if folder.exists() else []


def test_it_is_fetched_once(server: Server, tmp_path: Path) -> None:
    first = release_path(server.releases())
    assert first == release_path(server.releases())
    assert first is not None and first.read_bytes() == PROGRAM
    assert server.asked == [f"/v{__version__}/tanzanite-{platform_name()}.tar.gz"]
    assert left_in(tmp_path) == [first.name]


def test_it_starts(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TANZANITE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_executable, "bundled_words", lambda: None)
    monkeypatch.setattr(_executable, "read_releases", server.releases)
    with Tanzanite() as emulator:
        assert emulator.url == "http://127.0.0.1:1"


def test_another_checksum_is_refused(server: Server, tmp_path: Path) -> None:
    releases = server.releases()
    releases["files"][platform_name()]["sha256"] = "0" * 64
    with pytest.raises(DownloadFailed, match=f"has the SHA-256 {server.digest}, and this package wants 0000"):
        release_path(releases)
    assert left_in(tmp_path) == []


def test_a_download_that_stops_leaves_nothing(server: Server, tmp_path: Path) -> None:
    server.sent_bytes = 100
    with pytest.raises(DownloadFailed, match="cannot be downloaded: .*100"):
        release_path(server.releases())
    assert left_in(tmp_path) == []
    server.sent_bytes = len(server.content)
    assert release_path(server.releases()) is not None


def test_a_download_without_an_end_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_download, "ARCHIVE_BYTES_MAX", server.sent_bytes - 1)
    with pytest.raises(DownloadFailed, match=f"it is larger than {server.sent_bytes - 1} bytes"):
        release_path(server.releases())
    assert left_in(tmp_path) == []


def test_a_release_that_has_moved_is_followed(server: Server) -> None:
    server.moved = "/moved"
    path = release_path(server.releases())
    assert path is not None and path.read_bytes() == PROGRAM
    assert server.asked[1:] == ["/moved"]


@pytest.mark.parametrize("to", ["/again", "file:///etc/hostname"])
def test_a_release_that_moves_without_end_or_elsewhere_is_refused(server: Server, tmp_path: Path, to: str) -> None:
    server.moved, server.is_moved_again = to, True
    with pytest.raises(DownloadFailed, match="cannot be downloaded: the server answered 302"):
        release_path(server.releases())
    assert left_in(tmp_path) == []


def test_an_answer_that_is_an_error_is_named(server: Server) -> None:
    server.status = 404
    with pytest.raises(DownloadFailed, match="the server answered 404"):
        release_path(server.releases())


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/none", "nonsense", "ftp://"])
def test_an_address_that_cannot_be_reached_is_one_line(server: Server, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("TANZANITE_DOWNLOAD", url)
    with pytest.raises(DownloadFailed) as error:
        release_path(server.releases())
    assert "\n" not in str(error.value)


def test_a_cache_that_cannot_be_written_is_named(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(_download, "cache_folder", lambda: tmp_path / "file")
    with pytest.raises(DownloadFailed, match="cannot be downloaded"):
        release_path(server.releases())


def test_an_archive_without_the_program_is_refused(server: Server) -> None:
    server.content = b"no archive"
    server.sent_bytes = len(server.content)
    server.digest = hashlib.sha256(server.content).hexdigest()
    with pytest.raises(DownloadFailed):
        release_path(server.releases())


def test_eight_at_the_same_time_get_the_same_program(server: Server, tmp_path: Path) -> None:
    found: List[Any] = []
    threads = [threading.Thread(target=lambda: found.append(release_path(server.releases()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and found[0].read_bytes() == PROGRAM
    assert left_in(tmp_path) == [found[0].name]


def test_without_a_release_for_the_platform_there_is_none(server: Server) -> None:
    assert release_path({"version": __version__, "url": server.url, "files": {}}) is None
