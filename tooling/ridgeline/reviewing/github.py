"""GitHub's REST API, as far as a review needs it, with the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Protocol
from urllib.parse import urlsplit

ADDRESS = "https://api.github.com"
_VERSION = "2022-11-28"
_SECONDS = 30
_MAX_ANSWER = 20_000_000
_PAGE = 100


class ApiError(Exception):
    """The API refused or did not answer. ``status`` is 0 where there was no answer."""

    def __init__(self, message: str, status: int = 0):
        self.status = status
        super().__init__(message)


class Api(Protocol):
    """What the logic asks of GitHub; tests answer from recorded payloads."""

    def get(self, path: str) -> Any: ...
    def pages(self, path: str, most: int, key: str = "") -> Iterator[Any]:
        """The items of all pages, at most so many pages of 100; ``key`` names the list in each answer."""

    def send(self, method: str, path: str, body: dict[str, Any]) -> Any: ...
    def download(self, path: str, limit: int) -> bytes:
        """The bytes behind a redirect; more than ``limit`` of them are refused."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """No redirect is followed by itself: it would take the token along."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


class Rest:
    """The API over the network."""

    def __init__(self, token: str, address: str = ADDRESS):
        self._token = token
        self._address = address.rstrip("/")
        self._opener = urllib.request.build_opener(_Stay)

    def get(self, path: str) -> Any:
        return self._json("GET", path, None)

    def pages(self, path: str, most: int, key: str = "") -> Iterator[Any]:
        mark = "&" if "?" in path else "?"
        for page in range(1, most + 1):
            answer = self.get(f"{path}{mark}per_page={_PAGE}&page={page}")
            items = answer[key] if key else answer
            yield from items
            if len(items) < _PAGE:
                return

    def send(self, method: str, path: str, body: dict[str, Any]) -> Any:
        return self._json(method, path, body)

    def download(self, path: str, limit: int) -> bytes:
        request = self._request("GET", path, None)
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                content: bytes = answer.read(limit + 1)
        except urllib.error.HTTPError as error:
            content = self._moved(error, path, limit)
        except (OSError, HTTPException) as error:
            raise ApiError(f"GET {path}: {type(error).__name__}") from None
        if len(content) > limit:
            raise ApiError(f"GET {path}: more than {limit:,} bytes")
        return content

    def _moved(self, error: urllib.error.HTTPError, path: str, limit: int) -> bytes:
        """What a redirect points to, asked for without the token."""
        target = error.headers.get("Location", "")
        if error.code not in (301, 302, 303, 307, 308) or urlsplit(target).scheme != urlsplit(self._address).scheme:
            raise ApiError(f"GET {path}: {error.code}", error.code)
        try:
            with self._opener.open(urllib.request.Request(target), timeout=_SECONDS) as answer:
                content: bytes = answer.read(limit + 1)
                return content
        except (OSError, HTTPException) as second:
            raise ApiError(f"GET {path}, redirected: {type(second).__name__}") from None

    def _json(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            with self._opener.open(self._request(method, path, body), timeout=_SECONDS) as answer:
                content = answer.read(_MAX_ANSWER + 1)
        except urllib.error.HTTPError as error:
            raise ApiError(f"{method} {path}: {error.code} {error.reason}", error.code) from None
        except (OSError, HTTPException) as error:
            raise ApiError(f"{method} {path}: {type(error).__name__}") from None
        if len(content) > _MAX_ANSWER:
            raise ApiError(f"{method} {path}: more than {_MAX_ANSWER:,} bytes")
        try:
            return json.loads(content) if content else None
        except ValueError:
            raise ApiError(f"{method} {path}: no JSON") from None

    def _request(self, method: str, path: str, body: dict[str, Any] | None) -> urllib.request.Request:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data, method=method)
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", _VERSION)
        request.add_header("User-Agent", "ridgeline")
        # Not added to redirected requests, which this module makes itself.
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        return request


__all__ = ["ADDRESS", "Api", "ApiError", "Rest"]
