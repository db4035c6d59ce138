"""A request for a stream: where it goes, what it says, and how it is shown without anything that is secret."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from urllib.parse import quote, urljoin, urlsplit

from chunkproof_reports.visible import show

from .secrets import Secrets

__all__ = ["Headers", "Place", "RecordingError", "Request", "read_headers"]

Headers = Sequence[tuple[str, str]]

_PORTS = {"http": 80, "https": 443}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?")
_BEGIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)?([^/?#]*)(.*)", re.DOTALL)
_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]*\]?|[^:]*)(?::[0-9]*)?")
# What is percent-encoded already stays as it is.
_SAFE = "%/:=&?~+!$,;'@()*[]"
# How the request is framed is not for the user to say: the answer could not be read then.
_OURS = ("connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
_FILE_IS = 'a headers file holds "Name: value" on each line, blank lines, and comments behind #'


class RecordingError(ValueError):
    """No recording could be made: one line with the URL, the reason and the way out, and nothing secret."""


@dataclass(frozen=True, slots=True)
class Place:
    """A URL, taken apart: ``host`` without brackets, ``path`` and ``query`` percent-encoded, all of it ASCII."""

    scheme: str
    host: str
    port: int
    path: str
    query: str

    @classmethod
    def of(cls, url: str, secrets: Secrets | None = None) -> Place:
        """The place that a URL names; RecordingError where it cannot be used, with nothing of the secrets."""
        bare = _bare(url, secrets or Secrets())
        if re.search(r"[\x00-\x20\x7f]", url):
            raise RecordingError(f"{bare}: a space or a control character stands in the URL; write it as %20")
        try:
            parts = urlsplit(url)
            port, host = parts.port, parts.hostname or ""
        except ValueError:
            raise RecordingError(f"{bare}: it is no URL; check its host and port") from None
        if parts.scheme not in _PORTS:
            raise RecordingError(f"{bare}: it begins with neither http:// nor https://; write it in full")
        if "@" in parts.netloc:
            raise RecordingError(
                f"{bare}: user info stands in the URL, where it is seen by everybody;"
                " put it in a headers file, as Authorization"
            )
        named = _ascii_host(host)
        if not named:
            raise RecordingError(f"{bare}: it names no host that there can be; check what stands behind ://")
        port = _PORTS[parts.scheme] if port is None else port
        return cls(parts.scheme, named, port, quote(parts.path, _SAFE) or "/", quote(parts.query, _SAFE))

    @property
    def origin(self) -> tuple[str, str, int]:
        """What has to be the same for a header to be sent on."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """Host and port, as the header Host has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        """What the server is asked for."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def shown(self) -> str:
        """The URL without user info, query and fragment."""
        return f"{self.scheme}://{self.authority}{self.path}"


def _bare(url: str, secrets: Secrets) -> str:
    """What can be shown of a URL that cannot be used: no user info, query and fragment.

    Where what stands in the place of the host can be none, user info with a ``/``, ``?`` or ``#`` in it may: it ends
    at the last @ then, which may stand in a query as well.
    """
    url = secrets.hidden_in_url(url)
    begin = _BEGIN.fullmatch(url)
    # It fits any text.
    assert begin is not None
    scheme, authority, rest = begin.groups("")
    host = authority.rpartition("@")[2]
    if _HOST_AND_PORT.fullmatch(host):
        return show(scheme + host + re.split("[?#]", rest, maxsplit=1)[0])
    return show(scheme + re.split("[?#&;=]", url.removeprefix(scheme).rpartition("@")[2], maxsplit=1)[0])


def _ascii_host(host: str) -> str:
    """The host as it is looked up; empty where it is none."""
    try:
        if ":" in host:
            return str(ipaddress.IPv6Address(host.replace("%25", "%")))
        name = host.encode("idna").decode().lower()
    except ValueError:
        return ""
    return name if _HOST.fullmatch(name) else ""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent; ``headers`` are the user's own.

    ``shown`` is the URL as messages name it: without user info, query, fragment, and what a redirect repeats of them.
    """

    place: Place
    shown: str
    method: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @classmethod
    def of(cls, url: str, headers: Headers, method: str, body: bytes) -> Request:
        """A request from its parts; RecordingError where one of them cannot be used."""
        place = Place.of(url)
        if not _TOKEN.fullmatch(method) or method in ("HEAD", "CONNECT"):
            raise RecordingError(f"{place.shown}: {method!r:.40} is no method that a stream comes of; take GET or POST")
        for at, (name, value) in enumerate(headers, 1):
            if trouble := _trouble(name, value):
                raise RecordingError(f"{place.shown}: header {at}: {trouble}")
        return cls(place, place.shown, method, tuple(headers), body)

    def lines(self) -> Iterator[tuple[str, str]]:
        """All headers that are sent; one of the user's takes the place of ours."""
        given = {name.lower() for name, _ in self.headers}
        ours = {
            "Host": self.place.authority,
            "User-Agent": f"chunkproof/{version('chunkproof')}",
            "Accept": "text/event-stream",
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        if self.body or self.method not in ("GET", "DELETE", "OPTIONS", "TRACE"):
            ours["Content-Length"] = str(len(self.body))
        yield from ((name, value) for name, value in ours.items() if name.lower() not in given)
        yield from self.headers

    def redirected(self, status: int, location: str, secrets: Secrets) -> Request:
        """The request that follows a redirect; none of the user's headers goes to another origin."""
        here = f"{self.place.scheme}://{self.place.authority}{self.place.target}"
        try:
            place = Place.of(urljoin(here, location.replace(" ", "%20")), secrets)
        except ValueError as error:
            reason = str(error) if isinstance(error, RecordingError) else "it is no URL"
            raise RecordingError(f"{self.shown}: it redirects to what cannot be followed: {reason}") from None
        secrets.add_query(place.query)
        request = replace(self, place=place, shown=show(secrets.hidden_in_url(place.shown)))
        if status == 303 or (status in (301, 302) and self.method == "POST"):
            kept = tuple((name, value) for name, value in self.headers if name.lower() != "content-type")
            request = replace(request, method="GET", body=b"", headers=kept)
        if place.origin == self.place.origin:
            return request
        if request.body:
            raise RecordingError(
                f"{self.shown}: it redirects to {request.shown}, and the body is not sent to another origin;"
                " record that URL if you trust it"
            )
        return replace(request, headers=())


def _trouble(name: str, value: str) -> str:
    """What is wrong with a header, without its value; a name that is none may be a secret itself."""
    if not _TOKEN.fullmatch(name):
        return "its name is empty or holds a character that no name can; write it as X-Api-Key"
    if name.lower() in _OURS:
        return f"{name} is set by chunkproof, which has to read the answer; leave it out"
    if not _VALUE.fullmatch(value):
        return f"the value of {name} holds a line end, a control character, spaces around it or no ASCII; encode it"
    return ""


def read_headers(text: str) -> list[tuple[str, str]]:
    """The headers of a headers file: ``Name: value`` on each line, blank lines, and comments behind ``#``.

    RecordingError names the line that cannot be used, and nothing of what stands in it but the name.
    """
    headers = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, value = line.partition(":")
        value = value.strip(" \t")
        trouble = _trouble(name, value) if colon else "there is no colon in it"
        if line[0] in " \t":
            trouble = "it begins with a space; a header stands on one line"
        if trouble:
            raise RecordingError(f"headers, line {number}: {trouble} ({_FILE_IS})")
        headers.append((name, value))
    return headers
