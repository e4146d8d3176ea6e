"""One address asked for, politely: HEAD, then GET where HEAD is not understood; few retries; every hop looked at first."""

from __future__ import annotations

import ipaddress
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from enum import StrEnum
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.parse import quote, urljoin, urlsplit

AGENT = "ridgeline-links/1 (checks once a month whether cited documents are still there)"


class State(StrEnum):
    """What became of an address. Only ``gone`` and ``failing`` call for somebody."""

    OK = "ok"
    MOVED = "moved"  # there for good under another address
    GONE = "gone"  # not there: 404, 410, no such host
    FAILING = "failing"  # no answer, or the server's own fault
    REFUSED = "refused"  # there, but not for programs: 401, 403, 429 and the like
    SKIPPED = "skipped"  # not asked for: no public address, or no time left


@dataclass(frozen=True, slots=True)
class Visit:
    """How asking for an address ended; ``target`` is where a permanent redirect leads."""

    address: str
    state: State
    why: str = ""
    target: str = ""


@dataclass
class Visitor:
    """Asks for addresses, one at a time. ``pause`` seconds lie between two requests to one host."""

    timeout: float = 20.0
    retries: int = 2
    pause: float = 2.0
    longest_wait: float = 60.0
    local: bool = False  # addresses of this machine are allowed: for tests only
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _last: dict[str, float] = field(default_factory=dict)

    def visit(self, address: str) -> Visit:
        """Ask for one address. Never raises."""
        wait = self.pause
        seen = Visit(address, State.FAILING, "not asked")
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(wait)
            seen, after = self._once(address)
            if seen.state is not State.FAILING and not after:
                return seen
            wait = min(self.longest_wait, after or self.pause * 2 ** (attempt + 1))
        return seen

    def _once(self, address: str) -> tuple[Visit, float]:
        """One attempt: what came of it, and after how many seconds the server wants to be asked again."""
        current, lasting = address, True
        for _ in range(6):
            refused = self._refused(current)
            if refused:
                return Visit(address, State.SKIPPED if current == address else State.FAILING, refused), 0.0
            code, headers, why = self._answer(current)
            if code in (301, 302, 303, 307, 308) and headers is not None and headers.get("Location"):
                lasting = lasting and code in (301, 308)
                current = _quoted(urljoin(current, headers["Location"]))
                continue
            moved = current if current != address and lasting else ""
            return _judged(address, code, why, moved), _after(headers) if code in (429, 503) else 0.0
        return Visit(address, State.FAILING, "redirected more than five times"), 0.0

    def _answer(self, address: str) -> tuple[int, Message | None, str]:
        """Status and headers; HEAD first, and GET where a server does not want HEAD. Nothing of a body is read."""
        code, headers, why = self._request("HEAD", address)
        if code in (400, 403, 404, 405, 406, 500, 501, 503) and not (headers and headers.get("Retry-After")):
            code, headers, why = self._request("GET", address)
        return code, headers, why

    def _request(self, method: str, address: str) -> tuple[int, Message | None, str]:
        host = urlsplit(address).netloc
        left = self._last.get(host, -self.pause) + self.pause - self.clock()
        if left > 0:
            self.sleep(left)
        request = urllib.request.Request(address, method=method, headers={"User-Agent": AGENT, "Accept": "*/*"})
        try:
            with _OPENER.open(request, timeout=self.timeout) as answer:
                return int(answer.status), answer.headers, ""
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, ""
        except urllib.error.URLError as error:
            return (0 if not isinstance(error.reason, socket.gaierror) else -1), None, _said(error.reason)
        except (OSError, HTTPException, ValueError) as error:
            return 0, None, _said(error)
        finally:
            self._last[host] = self.clock()

    def _refused(self, address: str) -> str:
        """Why an address is not asked for. Records come from strangers: none may point the runner at its own network."""
        try:
            parts = urlsplit(address)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return "no address that can be read"
        if parts.scheme not in ("http", "https") or not host or parts.username is not None:
            return "no address of a web page"
        if self.local:
            return ""
        if port not in (None, 80, 443):
            return f"port {port} is none of the web's"
        try:
            found = socket.getaddrinfo(host, port or 443, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return ""  # asking for it tells
        if not all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in found):
            return "the host is no public one"
        return ""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Redirects are followed by the visitor, which looks at each address first."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_OPENER = urllib.request.build_opener(_Stay)


def _judged(address: str, code: int, why: str, moved: str) -> Visit:
    if 200 <= code < 400:
        return Visit(address, State.MOVED if moved else State.OK, str(code), moved)
    if code in (404, 410):
        return Visit(address, State.GONE, str(code))
    if code == -1:
        return Visit(address, State.GONE, f"no such host: {why}")
    if 400 <= code < 500:
        return Visit(address, State.REFUSED, str(code))
    return Visit(address, State.FAILING, str(code) if code else why)


def _after(headers: Message | None) -> float:
    """Seconds after which a server wants to be asked again; 0 where it does not say (a date counts as not said)."""
    stated = (headers.get("Retry-After", "") if headers is not None else "").strip()
    return float(min(int(stated), 10**6)) if stated.isdecimal() and len(stated) < 10 else 0.0


def _said(error: object) -> str:
    text = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)
    return " ".join(text.split())[:200]


def _quoted(address: str) -> str:
    """A redirect's target as servers write it, made fit for a request."""
    return quote(address, safe="%/:=&?~#+!$,;'@()*[]")


__all__ = ["AGENT", "State", "Visit", "Visitor"]
