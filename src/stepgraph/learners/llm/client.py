"""A client for OpenAI-compatible endpoints, with retries and clear errors.

It retries after rate limits, server faults, time-outs, broken connections and garbled replies, with
growing pauses. It does not retry with a wrong key, address or model. No message holds the key.

A request has a limit on its whole time and on its size, and a run can abandon it. The time-out of a
socket starts anew with every byte, so a slow server could keep a request alive for ever. A `Watch`
shuts the connection when the whole time is over, or at once when the run stops.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from functools import partial
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

from stepgraph._version import __version__
from stepgraph.errors import InputError, SettingError
from stepgraph.learners.llm.questions import Messages

LONGEST_CONNECT = 10.0
"""Maximum seconds to connect to a server; a run that stops waits no longer than this."""


@dataclass(frozen=True)
class Response:
    """A server's answer.

    Parameters
    ----------
    status
        The HTTP status code.
    headers
        The HTTP headers.
    body
        The content, as far as it was read.
    is_cut
        Whether the server sent more than was read.
    """

    status: int
    headers: Message
    body: bytes
    is_cut: bool


class Watch:
    """Shuts a connection when its time is over or the run stops.

    Parameters
    ----------
    seconds
        Maximum lifetime of the connection.
    """

    def __init__(self, seconds: float) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_over = False
        self._timer = threading.Timer(seconds, self.cut)
        self._timer.daemon = True

    @property
    def is_over(self) -> bool:
        """Whether the connection is shut, or about to be."""
        return self._is_over

    def __enter__(self) -> Watch:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._socket = None

    def hold(self, connected: socket.socket) -> None:
        """Watch over a connection."""
        with self._lock:
            self._socket = connected
            if self._is_over:
                self._shut()

    def cut(self) -> None:
        """Shut the connection now."""
        with self._lock:
            self._is_over = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it may have ended by itself
                # Not the method of a TLS socket, which would begin to read plain text.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class Poster:
    """Sends requests to one address and reads the answers.

    It follows no redirects: they would carry the key to another server.

    Parameters
    ----------
    url
        The address. Proxies from the environment apply unless it is this computer.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._opener = urllib.request.OpenerDirector()
        proxies: dict[str, str] | None = {} if _is_here(url) else None
        self._opener.add_handler(urllib.request.ProxyHandler(proxies))
        if url.lower().startswith("https:"):
            self._opener.add_handler(_HttpsHandler(context=ssl.create_default_context()))
        else:
            self._opener.add_handler(_HttpHandler())

    def post(
        self, body: bytes, headers: Mapping[str, str], *, watch: Watch, timeout: float, limit: int
    ) -> Response:
        """Send a request and return the answer, whatever its status.

        Raises
        ------
        OSError, http.client.HTTPException
            If the connection fails or the watch cuts it.
        """
        request = _Request(self._url, data=body, headers=dict(headers), method="POST")
        request.watch = watch
        with self._opener.open(request, timeout=timeout) as response:
            content = response.read(limit + 1)
            if watch.is_over:  # a cut connection may look like a proper end
                raise TimeoutError("the connection was cut")
            is_cut = len(content) > limit
            if response.length and not is_cut:
                raise http.client.IncompleteRead(content, response.length)
            return Response(response.status, response.headers, content[:limit], is_cut)


class _Request(urllib.request.Request):
    watch: Watch


class _Connection(http.client.HTTPConnection):
    def __init__(self, host: str, *, watch: Watch, **options: Any) -> None:
        super().__init__(host, **options)
        self._watch = watch

    def connect(self) -> None:
        whole, self.timeout = self.timeout, min(self.timeout or LONGEST_CONNECT, LONGEST_CONNECT)
        super().connect()
        self.sock.settimeout(whole)
        self._watch.hold(self.sock)


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    pass


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        assert isinstance(req, _Request)  # noqa: S101 - only Poster makes requests
        return self.do_open(partial(_Connection, watch=req.watch), req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._tls = context

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        assert isinstance(req, _Request)  # noqa: S101 - only Poster makes requests
        return self.do_open(partial(_SecureConnection, watch=req.watch, context=self._tls), req)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


FIRST_PAUSE = 0.5
"""Seconds before the second attempt; each further pause is twice as long."""

LONGEST_PAUSE = 60.0
"""Longest pause in seconds, even if the server asks for more."""

LARGEST_REPLY = 1024 * 1024
"""Largest reply in bytes; a list of steps takes a thousandth of it."""

SHORTEST_SECRET = 8
"""Keys shorter than this are placeholders for local servers, and may be words of a reply."""

_AGAIN = (408, 425, 429)
_BROKEN = (
    ConnectionResetError,
    ConnectionAbortedError,
    BrokenPipeError,
    ssl.SSLEOFError,
    ssl.SSLZeroReturnError,
    http.client.HTTPException,
)


@dataclass(frozen=True)
class Reply:
    """A model's reply.

    Parameters
    ----------
    text
        Its text.
    refused
        Whether the endpoint marked it as a refusal.
    """

    text: str
    refused: bool = False


class StoppedError(Exception):
    """The run was stopped; this reply is no longer needed."""


class _TroubleError(Exception):
    """An attempt failed, and another one may succeed."""

    def __init__(self, message: str, pause: float = 0.0) -> None:
        self.pause = pause
        super().__init__(message)


@dataclass
class Client:
    """One model behind one endpoint; safe to use from several threads.

    Parameters
    ----------
    base_url
        The address that ``/chat/completions`` is added to.
    model
        The model's name at the endpoint.
    key
        The API key; empty for endpoints that need none.
    temperature
        The sampling temperature.
    timeout
        Maximum seconds for one attempt as a whole.
    retries
        Maximum number of retries.
    pause
        Waits for a number of seconds; tests replace it.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    temperature: float = 0.0
    timeout: float = 60.0
    retries: int = 4
    pause: Callable[[float], object] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._url = f"{self.base_url}/chat/completions"
        self._poster = Poster(self._url)
        self._stopped = threading.Event()
        self._watches: set[Watch] = set()
        self._lock = threading.Lock()

    def ask(self, messages: Messages) -> Reply:
        """Return the model's reply.

        Raises
        ------
        SettingError
            If the endpoint refuses the key or knows neither address nor model.
        InputError
            If there is no usable reply after all attempts.
        StoppedError
            If `stop` was called.
        """
        body = json.dumps(
            {"model": self.model, "messages": messages, "temperature": self.temperature}
        ).encode()
        attempts = self.retries + 1
        trouble = ""
        for attempt in range(attempts):
            try:
                return self._attempt(body)
            except _TroubleError as error:
                trouble = str(error)
                if attempt + 1 < attempts:
                    wanted = max(FIRST_PAUSE * 2**attempt, error.pause)
                    self._wait(min(wanted, LONGEST_PAUSE))
        tried = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        raise InputError(
            f"{self._url}: no usable reply in {tried}, the last time {trouble}; the cache "
            "keeps the answers so far; run again later to go on"
        )

    def stop(self) -> None:
        """Abandon all requests, those under way and those to come."""
        self._stopped.set()
        with self._lock:
            for watch in self._watches:
                watch.cut()

    def _wait(self, seconds: float) -> None:
        (self.pause or self._stopped.wait)(seconds)

    def _attempt(self, body: bytes) -> Reply:
        try:
            response = self._post(body)
        except _BROKEN as error:
            raise _TroubleError(f"the connection broke ({type(error).__name__})") from None
        except TimeoutError:
            raise _TroubleError(f"it did not answer within {self.timeout:g} s") from None
        except OSError as error:
            raise InputError(
                f"{self._url}: {_reason(error)}; check the address (base_url or STEPGRAPH_LLM_URL) "
                "and that the server runs"
            ) from None
        if response.status != http.client.OK:
            raise self._fault(response)
        if response.is_cut:
            raise InputError(
                f"{self._url}: the reply is longer than {LARGEST_REPLY} bytes and was cut off; "
                "expected a short list of steps, try another model"
            )
        return self._reply(response)

    def _post(self, body: bytes) -> Response:
        headers = {"Content-Type": "application/json", "User-Agent": f"stepgraph/{__version__}"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        watch = Watch(self.timeout)
        with self._lock:
            self._watches.add(watch)
        try:
            if self._stopped.is_set():
                raise StoppedError
            with watch:
                return self._poster.post(
                    body, headers, watch=watch, timeout=self.timeout, limit=LARGEST_REPLY
                )
        except (OSError, http.client.HTTPException) as error:
            if self._stopped.is_set():
                raise StoppedError from None
            if watch.is_over:
                raise TimeoutError from None
            # urllib wraps errors that occur before the answer begins.
            if isinstance(error, URLError) and isinstance(error.reason, OSError):
                raise error.reason from None
            raise
        finally:
            with self._lock:
                self._watches.discard(watch)

    def _fault(self, response: Response) -> Exception:
        """Return the error for an answer with a status other than 200."""
        status = response.status
        if status in (401, 403):
            # Leaves out the server's text, which may quote the key.
            problem = "the key was refused" if self.key else "the endpoint wants a key"
            return SettingError(
                f"{self._url}: {problem} (HTTP {status}); set a valid one in the environment "
                "variable STEPGRAPH_LLM_KEY (or OPENAI_API_KEY)"
            )
        quote = self._quoted(response.body)
        if status in _AGAIN or status >= 500:
            return _TroubleError(f"it answered HTTP {status}{quote}", _retry_after(response))
        if status == 404:
            return SettingError(
                f"{self._url}: no such address or model {self.model!r} (HTTP 404{quote}); set "
                "base_url (or STEPGRAPH_LLM_URL) and model (or STEPGRAPH_LLM_MODEL)"
            )
        if 300 <= status < 400:
            return SettingError(
                f"{self._url}: redirected elsewhere (HTTP {status}), which is not followed so "
                "that the key stays here; set base_url (or STEPGRAPH_LLM_URL) to the final address"
            )
        return InputError(f"{self._url}: the request was refused (HTTP {status}{quote})")

    def _reply(self, response: Response) -> Reply:
        try:
            content = json.loads(response.body)
        except (ValueError, RecursionError):
            raise _TroubleError(f"the reply was not JSON{self._quoted(response.body)}") from None
        choice = _entry(_first(_entry(content).get("choices")))
        message = choice.get("message")
        text = _entry(message).get("content")
        if not isinstance(message, dict) or not isinstance(text, str | None):
            raise _TroubleError(f"the reply held no choices{self._quoted(response.body)}")
        refusal = message.get("refusal")
        refused = bool(refusal) or choice.get("finish_reason") == "content_filter"
        text = text or (refusal if isinstance(refusal, str) else "")
        # A server that echoes the request must not bring the key into the cache.
        is_secret = len(self.key) >= SHORTEST_SECRET
        return Reply(self._without_key(text) if is_secret else text, refused=refused)

    def _quoted(self, body: bytes) -> str:
        """Return the beginning of a server's answer, fit for a message."""
        # Removes the key before cutting the text, because half a key is too much as well.
        text = " ".join(self._without_key(body.decode("utf-8", errors="replace")).split())
        return f": {text[:200]}" if text else ""

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "[key]") if self.key else text


def _entry(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None


def _retry_after(response: Response) -> float:
    """Return the seconds that a server asks to wait, from a number or a date."""
    text = str(response.headers.get("Retry-After", "")).strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"no secure connection ({error.reason or 'TLS failed'})"
    return f"it cannot be reached ({error.strerror or str(error) or type(error).__name__})"
