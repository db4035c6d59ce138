"""One request and what comes back, read by read.

Libraries for HTTP put together what arrives in several reads, and tear what arrives in one. Here each read of the
socket is fed to h11, and what comes of it is handed on before the next.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

import h11

from .request import RecordingError, Request
from .secrets import Secrets

__all__ = ["Deadline", "Exchange", "connect"]

_READ_BYTES = 65536
#: As much of an answer is shown where it is an error or none at all.
SHOWN_BYTES = 200
# The first byte of a TLS alert, with which a server answers that was asked in plain text.
_TLS_ALERT = b"\x15\x03"


class Deadline:
    """The time that is left; ``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = monotonic() + seconds

    def left(self) -> float:
        """Seconds, more than 0; TimeoutError where there are none."""
        left = self._at - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


# connecting ----------------------------------------------------------------------------------------------------------


def connect(request: Request, deadline: Deadline) -> socket.socket:
    """A connection to the place, with TLS for https; RecordingError where there is none to be had."""
    try:
        plain = _connected(_addresses(request), deadline)
    except TimeoutError:
        raise _error(request, f"no connection within {deadline.seconds:g} s; check host and port") from None
    except ConnectionRefusedError:
        reason = f"the connection was refused: nothing listens on port {request.place.port}"
        raise _error(request, f"{reason}; start the server, or name its port") from None
    except OSError as error:
        reason = f"no connection: {error.strerror or type(error).__name__}; check host, port and network"
        raise _error(request, reason) from None
    if request.place.scheme == "http":
        return plain
    try:
        return _secured(plain, request, deadline)
    except BaseException:
        plain.close()
        raise


def _addresses(request: Request) -> list[tuple[int, tuple[object, ...]]]:
    try:
        found = socket.getaddrinfo(request.place.host, request.place.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _error(request, "no such host; check its spelling and your network") from None
    return [(family, address) for family, _, _, _, address in found]


def _connected(addresses: list[tuple[int, tuple[object, ...]]], deadline: Deadline) -> socket.socket:
    """The first address that answers; each has its share of the time, so that one that is silent hides no other."""
    last: OSError = OSError("no address")
    for at, (family, address) in enumerate(addresses):
        plain = socket.socket(family, socket.SOCK_STREAM)
        try:
            plain.settimeout(deadline.left() / (len(addresses) - at))
            plain.connect(address)
        except OSError as error:
            plain.close()
            last = error
        except BaseException:
            plain.close()
            raise
        else:
            return plain
    raise last


def _secured(plain: socket.socket, request: Request, deadline: Deadline) -> socket.socket:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    try:
        plain.settimeout(deadline.left())
        return context.wrap_socket(plain, server_hostname=request.place.host)
    except ssl.SSLCertVerificationError as error:
        reason = f"its certificate is not trusted: {error.verify_message}"
        way_out = "let the environment variable SSL_CERT_FILE name the certificate of its authority"
        raise _error(request, f"{reason}; {way_out}") from None
    except TimeoutError:
        raise _error(request, f"no TLS within {deadline.seconds:g} s; is it http://?") from None
    except OSError as error:
        said = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        raise _error(request, f"no TLS: {said or 'the connection ended'}; is it http://?") from None


def _error(request: Request, reason: str) -> RecordingError:
    return RecordingError(f"{request.shown}: {reason}")


# asking --------------------------------------------------------------------------------------------------------------


class Exchange:
    """A request that is sent over a connection, and its answer.

    ``request`` is what is asked. ``arrived`` is when the last read ended, in seconds since the request was sent.
    ``ended`` says that no more comes, ``broken`` why, where the server did not end the answer as HTTP has it.
    """

    def __init__(self, connection: socket.socket, request: Request, deadline: Deadline, secrets: Secrets) -> None:
        self.deadline = deadline
        self.arrived = 0.0
        self.ended = False
        self.broken = ""
        self._socket = connection
        self.request = request
        self._secrets = secrets
        self._http = h11.Connection(h11.CLIENT)
        self._begin = b""
        self._closed = False
        self._in_chunk = False
        self._body_bytes = 0
        self._length = ""
        self._chunked = False
        self._sent = monotonic()

    def response(self) -> h11.Response:
        """Send the request and read the head of the answer; RecordingError where none comes."""
        try:
            self._send()
            while True:
                event = self._http.next_event()
                if isinstance(event, h11.Response):
                    break
                if event is h11.NEED_DATA:
                    self._receive()
                elif not isinstance(event, h11.InformationalResponse):
                    raise self._no_answer()
        except TimeoutError:
            reason = f"no answer within {self.deadline.seconds:g} s; give it more with --max-time"
            raise self._no_http() if self._begin else self._error(reason) from None
        except h11.RemoteProtocolError:
            # What h11 says of it may hold headers of the answer.
            raise self._no_http() if self._begin else self._no_answer() from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise self._error(f"the connection broke before an answer came: {reason}; try again") from None
        fields = dict(event.headers)
        self._chunked = b"transfer-encoding" in fields
        self._length = fields.get(b"content-length", b"").decode("ascii", "replace")
        return event

    @property
    def delimited(self) -> bool:
        """Whether the answer says where it ends."""
        return self._chunked or bool(self._length)

    def reads(self) -> Iterator[tuple[bytes, float]]:
        """What of the body came with each read of the socket, and `arrived` then; reads that bring none are not there.

        The first may have come with the head of the answer.
        """
        while True:
            data = self._drained()
            if data:
                yield data, self.arrived
            if self.ended:
                return
            try:
                self._receive()
            except TimeoutError:
                self._end("ended by --max-time")
            except OSError as error:
                # Among them those of TLS.
                self._end(f"the connection broke: {error.strerror or type(error).__name__}")

    def _send(self) -> None:
        request = self.request
        headers = [(name.encode(), value.encode()) for name, value in request.lines()]
        try:
            head = h11.Request(method=request.method, target=request.place.target, headers=headers)
            data = self._http.send(head) or b""
            data += (self._http.send(h11.Data(data=request.body)) or b"") if request.body else b""
            data += self._http.send(h11.EndOfMessage()) or b""
        except h11.LocalProtocolError:
            # What h11 says of it may hold a header's value.
            raise self._error("the headers are no HTTP together; is there one twice?") from None
        self._socket.settimeout(self.deadline.left())
        # A server may refuse a request before it has read all of it: its answer says why.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)
        self._sent = monotonic()

    def _receive(self) -> None:
        self._socket.settimeout(self.deadline.left())
        data = self._socket.recv(_READ_BYTES)
        self.arrived = monotonic() - self._sent
        self._closed = not data
        if len(self._begin) < SHOWN_BYTES:
            self._begin += data
        self._http.receive_data(data)

    def _drained(self) -> bytes:
        """All of the body that has been read and not been handed on."""
        data = bytearray()
        try:
            while isinstance(event := self._http.next_event(), h11.Data):
                data += event.data
                self._in_chunk = not event.chunk_end
            self.ended = self.ended or event is not h11.NEED_DATA
        except h11.RemoteProtocolError:
            self._end(self._breach(len(data)))
        self._body_bytes += len(data)
        return bytes(data)

    def _end(self, reason: str) -> None:
        self.ended, self.broken = True, reason

    def _breach(self, drained: int) -> str:
        if not self._closed:
            return "the framing of the body is broken: no chunk of HTTP stands where one belongs"
        if not self._chunked:
            return f"the server closed the connection after {self._body_bytes + drained} of {self._length} bytes"
        if self._in_chunk:
            return "the server closed the connection in the middle of a chunk"
        return "the server closed the connection without the last chunk, which ends a body"

    def _no_answer(self) -> RecordingError:
        return self._error("the server closed the connection without an answer; look into its log")

    def _no_http(self) -> RecordingError:
        if self._begin.startswith(_TLS_ALERT):
            return self._error("the server speaks TLS; write https://")
        line = self._begin.partition(b"\n")[0].rstrip(b"\r")
        shown = self._secrets.shown(line, SHOWN_BYTES)
        return self._error(f"what answers speaks no HTTP/1.1, it begins with '{shown}'; check the port")

    def _error(self, reason: str) -> RecordingError:
        return _error(self.request, reason)
