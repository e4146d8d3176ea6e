"""The built site on a port of this machine, to look at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

HOST = "127.0.0.1"
#: Between two looks at what the site follows from.
SECONDS = 1.0


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


def watch(folder: Path, port: int, step: Callable[[], object], pause: Callable[[float], object] = sleep) -> None:
    """Take a step each second until interrupted, and serve the folder from the first site in it on."""
    running: ThreadingHTTPServer | None = None
    try:
        while True:
            step()
            if running is None and (folder / "index.html").is_file():
                running = server(folder, port)
                Thread(target=running.serve_forever, daemon=True).start()
                print(f"http://{HOST}:{running.server_port}/  (Ctrl+C ends it)", flush=True)
            pause(SECONDS)
    except KeyboardInterrupt:
        print()
    finally:
        if running is not None:
            running.shutdown()
            running.server_close()


def serve(folder: Path, port: int) -> None:
    """Serve until interrupted."""
    with server(folder, port) as running:
        print(f"http://{HOST}:{running.server_port}/  (Ctrl+C ends it)", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()
