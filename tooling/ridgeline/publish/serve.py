"""The built site on a port of this machine, to look at."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of the folder that answers this machine alone; port 0 takes a free one. Raises ``OSError``."""
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"there is no site in {folder}: make one with `ridgeline site build`")
    return ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(folder)))


def serve(folder: Path, port: int) -> None:
    """Serve until interrupted."""
    with server(folder, port) as running:
        print(f"http://{HOST}:{running.server_port}/  (Ctrl+C ends it)", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()
