"""The pytest plugin of svc-emulator: one file, nothing but the standard library, Python 3.9 or later.

Put it next to the tests (``svc-emulator python-client --out svc_emulator.py``) and name it once in ``conftest.py``:
``pytest_plugins = ["svc_emulator"]``. Every test may then ask for ``emulator``, ``account``, ``inbox`` and ``receiver``.
Everything else is ``emulator.call(method, path, body)``: docs/http-api.md lists the operations and their JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import re
import shlex
import shutil
import socket
import socketserver
import subprocess
import threading
import time
import urllib.parse
import uuid
import wsgiref.simple_server
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

__all__ = ["Account", "Emulator", "EmulatorError", "Inbox", "Receiver", "SignatureError", "Spend", "is_genuine", "verify_signature"]

Record = Dict[str, Any]
Query = Mapping[str, Optional[Union[str, int, float]]]

#: The time limit of a start in seconds. On a slow machine, a start takes a tenth of it.
START_SECONDS = 60
#: The time limit of a response in seconds, in addition to the ``timeout`` of its request.
ANSWER_SECONDS = 120
#: The largest response in bytes. A trace with all of its media is smaller.
MAX_BYTES = 512 * 1024 * 1024
#: In seconds: how long a receiver that is closed under check waits for work in progress.
CLOSING_SECONDS = 2
READY = re.compile(r"^svc-emulator ready on (\S+)$")
UNDER_CHECK = os.environ.get("SVC_CHECK") == "1"
#: The default time limit of a wait, in seconds. It is shorter under check, whose faults keep many awaited results from coming.
WAIT_SECONDS = 10 if UNDER_CHECK else 60


class EmulatorError(Exception):
    """The emulator or the service rejected a request. ``code`` and ``param`` are those of the error."""

    def __init__(self, status: int, code: str, message: str, param: Optional[str] = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


#: The characters that a path keeps, besides letters, digits and ``_.-``. Others are percent-encoded.
_IN_PATHS = "/%?#&=:;,+@!$'()*~[]"


def _hang_up(connected: socket.socket) -> None:
    """Ends a connection at the time limit of the whole response, because the limit of a socket is for each piece."""
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _is_quiet(connected: socket.socket) -> bool:
    """Whether the server has neither closed the connection nor sent anything unasked."""
    connected.settimeout(0)
    try:
        connected.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _sendable(key: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("The API key contains characters that are not allowed in a header; use it unchanged.")
    return key


def _error_of(status: int, answer: bytes) -> EmulatorError:
    try:
        error = json.loads(answer)["error"]
        return EmulatorError(status, str(error["code"]), str(error["message"]), error["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        said = answer.decode("utf-8", "replace")[:500]
        return EmulatorError(status, "unknown", said or f"The server returned {status} without a message.")


def _cut(text: str, most: int) -> str:
    """Cuts before the last word, because half a secret is not recognized."""
    return text if len(text) <= most else "".join(text[:most].rpartition(" ")[:1])


def _without_middle(text: str, most: int) -> str:
    """Keeps both ends, cut between words, because a list of events shows how it ended only at its end."""
    if len(text) <= most:
        return text
    return f"{_cut(text, most // 3)} … {text[-most // 2:].partition(' ')[2]}"


def _present(**fields: Any) -> Record:
    return {name: value for name, value in fields.items() if value is not None}


class Spend:
    """The cost of some work: ``credits`` net of refunds, the number of ``refunds``, and ``entries``, oldest first."""

    def __init__(self) -> None:
        self.entries: List[Record] = []

    @property
    def credits(self) -> int:
        return -sum(entry["amount"] for entry in self.entries)

    @property
    def refunds(self) -> int:
        return sum(entry["type"] == "refund" for entry in self.entries)

    def __str__(self) -> str:
        lines = [f"  {each['type']} {each['amount']} ({each['operation'] or 'by hand'})" for each in self.entries]
        counts = f"{_counted(self.credits, 'credit')} spent and {_counted(self.refunds, 'refund')}:"
        return "\n".join([counts, *lines])


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


class Account:
    """An account for one test. Other tests do not affect it."""

    def __init__(self, emulator: Emulator, opened: Record) -> None:
        self._emulator = emulator
        self.id: str = opened["id"]
        self.workspace_id: str = opened["workspace_id"]
        #: Pass it to the client under test.
        self.api_key: str = opened["api_key"]
        self.base_url = emulator.base_url
        self.test_id: Optional[str] = opened.get("test_id")

    def call(self, method: str, path: str, body: Any = None, query: Optional[Query] = None) -> Any:
        """Calls the service with this account's key: ``account.call("GET", "/v1/account")``."""
        return self._emulator.call(method, path, body, query, self.api_key)

    def ledger(self) -> List[Record]:
        """All entries of the ledger, newest first, as ``GET /_emulator/accounts/{id}/usage`` lists them."""
        return self._all(f"/_emulator/accounts/{self.id}/usage", {})

    def deliveries(self) -> List[Record]:
        """All deliveries of the account, oldest first, with the fields of ``GET /_emulator/deliveries``."""
        return self._all("/_emulator/deliveries", {"account_id": self.id})[::-1]

    def _all(self, path: str, query: Record) -> List[Record]:
        pages: List[Record] = []
        after: Optional[str] = None
        while True:
            page = self._emulator.call("GET", path, query={**query, "limit": 1000, "after": after})["data"]
            pages.extend(page)
            if len(page) < 1000:
                return pages
            after = page[-1]["id"]

    def _records(self, kind: str) -> List[Record]:
        return self._emulator.call("GET", f"/_emulator/{kind}", query={"account_id": self.id})["data"][::-1]

    def wait(self, what: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True) -> Record:
        """As ``Emulator.wait``, for this account only. An inbox belongs to no account."""
        return self._emulator.wait(what, timeout, after, genuine, account_id=self.id)

    @contextlib.contextmanager
    def spending(self, credits: Optional[int] = None, refunds: Optional[int] = None) -> Iterator[Spend]:
        """``with account.spending(credits=24): …`` waits for all its work, and fails if the block cost something else."""
        before = {entry["id"] for entry in self.ledger()}
        spend = Spend()
        yield spend
        self.wait("idle")
        spend.entries = [
            entry for entry in self.ledger()[::-1] if entry["id"] not in before and entry["type"] in ("charge", "refund")
        ]
        wanted = _present(credits=credits, refunds=refunds)
        met = {"credits": spend.credits, "refunds": spend.refunds}
        if any(met[name] != value for name, value in wanted.items()):
            raise AssertionError(f"Expected {' and '.join(_counted(n, name[:-1]) for name, n in wanted.items())}, got {spend}")


class Inbox:
    """A built-in webhook receiver. Use its ``url`` for an endpoint."""

    def __init__(self, emulator: Emulator, name: str) -> None:
        self._emulator = emulator
        self._path = f"/_emulator/inbox/{urllib.parse.quote(name, safe='')}"
        self._returned: Set[str] = set()
        self._turn = threading.Lock()
        self.name = name
        self.url = emulator.url + self._path

    def messages(self) -> List[Record]:
        """Oldest first, each with its ``body`` and whether its ``signature`` is ``verified``."""
        return self._emulator.call("GET", f"{self._path}/messages")["data"][::-1]

    def wait(self, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True) -> Record:
        """The next genuine message that was not returned yet, or the first after ``after``; with ``genuine=False`` any message."""
        deadline, given = time.monotonic() + timeout, after
        with self._turn:
            while True:
                found = self._emulator.wait(f"inbox:{self.name}", max(0.0, deadline - time.monotonic()), after, genuine)
                after = found["id"]
                if given is not None or after not in self._returned:
                    self._returned.add(after)
                    return found


class Emulator:
    """One emulator: ``Emulator.start()``, ``Emulator.connect(url)`` or ``Emulator.find()``."""

    def __init__(self, url: str, token: Optional[str] = None, process: Optional[subprocess.Popen[str]] = None) -> None:
        self._token = token
        self._process = process
        self._test: Optional[_Test] = None
        #: Connections for the next calls, each with the process that made it: a forked one may not share them.
        self._idle: List[Tuple[int, http.client.HTTPConnection]] = []
        self.url = url.rstrip("/")
        self.base_url = f"{self.url}/v1"

    @classmethod
    def connect(cls, url: str, control_token: Optional[str] = None) -> Emulator:
        """Connects to a running emulator. ``control_token`` is required only if other machines can reach it. Raises ``ConnectionError``."""
        emulator = cls(url, control_token)
        emulator.call("GET", "/_emulator/health")
        return emulator

    @classmethod
    def start(cls, *flags: str) -> Emulator:
        """Starts an emulator on a free port, without stored data; ``flags`` are those of ``svc-emulator start``. Raises ``RuntimeError``."""
        line = [*_command(Path.cwd()), "start", "--port", "0", "--ephemeral", "--log", "silent", *flags]
        pipe = subprocess.PIPE
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
        try:
            return cls(_ready_url(process), process=process)
        except BaseException:
            _end(process)
            raise

    @classmethod
    def find(cls) -> Emulator:
        """Connects to the emulator of ``svc-emulator exec``, or starts a new one."""
        url = os.environ.get("SVC_BASE_URL")
        if url:
            return cls.connect(url, os.environ.get("SVC_EMULATOR_CONTROL_TOKEN") or None)
        # A job that is not polled is final as soon as it is rendered, as under exec. The first render loads the renderer.
        return cls.start("--settle-after", "0", "--no-warm")

    def stop(self) -> None:
        """Ends an emulator of ``start``; others keep running."""
        self._close_idle()
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __del__(self) -> None:
        self._close_idle()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    def call(self, method: str, path: str, body: Any = None, query: Optional[Query] = None, key: Optional[str] = None) -> Any:
        """Calls any operation, never through a proxy: ``emulator.call("POST", "/_emulator/clock/advance", {"seconds": 60})``.

        Returns the JSON of the response, its bytes if it is not JSON, ``None`` if it is empty. Raises ``EmulatorError`` or ``ConnectionError``.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = urllib.parse.quote(path, safe=_IN_PATHS) + (f"?{urllib.parse.urlencode(given)}" if given else "")
        bearer = key if key is not None else self._token if path.startswith("/_emulator") else None
        headers = {} if bearer is None else {"authorization": f"Bearer {_sendable(bearer)}"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        status, content_type, answer = self._exchange(method, target, data, headers)
        if not 200 <= status < 300:
            raise _error_of(status, answer)
        if not answer:
            return None
        if not content_type.startswith("application/json"):
            return answer
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise ConnectionError(f"The server at {self.url} is not svc-emulator: its JSON cannot be read ({error}).") from error

    def _exchange(self, method: str, target: str, data: Optional[bytes], headers: Dict[str, str]) -> Tuple[int, str, bytes]:
        """Follows no redirect, so that the key reaches no other host."""
        asked = re.search(r"[?&]timeout=([\d.]+)", target)
        limit = ANSWER_SECONDS + (float(asked.group(1)) if asked else 0)
        connection = self._connection(limit)
        ends = time.monotonic() + limit
        over = threading.Timer(limit, _hang_up, [connection])
        over.daemon = True
        is_kept = False
        try:
            if connection.sock is None:
                connection.connect()
            over.args = [connection.sock]  # type: ignore[attr-defined]
            over.start()
            connection.request(method, target, data, headers)
            response = connection.getresponse()
            answer = bytearray()
            for piece in iter(lambda: response.read(65536), b""):
                answer += piece
                if len(answer) > MAX_BYTES:
                    raise OSError(f"its response has more than {MAX_BYTES} bytes")
            if time.monotonic() >= ends:
                raise OSError(f"its response was not complete within {limit:g} s")
            if response.length:
                raise OSError(f"its response ended {response.length} bytes too early")
            is_kept = connection.sock is not None
            return response.status, response.getheader("content-type") or "", bytes(answer)
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionError(
                f"No emulator responds at {self.url} ({str(error).strip()}). Start one with `svc-emulator start`, "
                "or run the tests under `svc-emulator exec -- pytest`."
            ) from error
        finally:
            over.cancel()
            if is_kept:
                self._idle.append((os.getpid(), connection))
            else:
                connection.close()

    def _connection(self, limit: float) -> http.client.HTTPConnection:
        with contextlib.suppress(IndexError):
            while True:
                maker, kept = self._idle.pop()
                if maker == os.getpid() and _is_quiet(kept.sock):
                    kept.sock.settimeout(limit)
                    return kept
                kept.close()
        parts = urllib.parse.urlsplit(self.url)
        return http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=limit)

    def wait(self, what: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True, **query: Any) -> Record:
        """Returns what it waited for: ``job:ID``, ``run:ID``, ``event:TYPE``, ``delivery:TYPE``, ``inbox:NAME`` or ``idle``.

        Only what comes after the event, delivery or message with the id ``after`` counts, and only genuine deliveries and
        messages unless ``genuine=False``. Raises ``EmulatorError`` (``timeout``) if nothing comes in time.
        """
        only = {"genuine": str(genuine).lower()} if what.startswith(("delivery:", "inbox:")) else {}
        return self.call("GET", "/_emulator/wait", query={"for": what, "timeout": timeout, "after": after, **only, **query})

    def account(self, name: Optional[str] = None, **order: Any) -> Account:
        """A new account with its own key, for the current test; ``order`` has the fields of ``POST /_emulator/accounts``."""
        test = self._test
        named = test.order() if test else {}
        opened = Account(self, self.call("POST", "/_emulator/accounts", {**_present(name=name), **order, **named}))
        if test:
            test.accounts.append(opened)
        return opened

    def inbox(self, name: Optional[str] = None) -> Inbox:
        """A built-in receiver; without a name, a new one."""
        return Inbox(self, name or f"inbox-{uuid.uuid4().hex[:12]}")


def _command(folder: Path) -> List[str]:
    given = os.environ.get("SVC_EMULATOR_COMMAND")
    if given:
        return shlex.split(given)
    name = "svc-emulator.cmd" if os.name == "nt" else "svc-emulator"
    for each in (folder, *folder.parents):
        program = each / "node_modules" / ".bin" / name
        if program.exists():
            return [str(program)]
    found = shutil.which("svc-emulator")
    if found:
        return [found]
    raise RuntimeError(
        f"There is no svc-emulator in the node_modules of {folder} or above it, nor on the PATH. Install it with "
        "`npm i -D ./svc-emulator-VERSION.tgz`, or say how it is called in SVC_EMULATOR_COMMAND."
    )


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()


def _ready_url(process: subprocess.Popen[str]) -> str:
    """Reads up to the ready line, and returns its URL. Without one, raises what was printed to standard error."""
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    try:
        for line in process.stdout or []:
            ready = READY.match(line.strip())
            if ready:
                return ready.group(1)
        said = process.stderr.read().strip() if process.stderr else ""
        raise RuntimeError(f"svc-emulator did not start (exit code {process.wait()}): {said or 'no output'}")
    finally:
        late.cancel()


def _reach_past_proxies() -> None:
    """Lets clients of this process and its children reach the emulator without a proxy."""
    for name in ("NO_PROXY", "no_proxy"):
        known = [each.strip() for each in os.environ.get(name, "").split(",") if each.strip()]
        missing = [each for each in ("127.0.0.1", "localhost", "::1") if each not in known and "*" not in known]
        os.environ[name] = ",".join([*known, *missing])


class SignatureError(ValueError):
    """The delivery is not genuine; the message says why."""


def is_genuine(payload: bytes, header: Optional[str], secret: str, **limits: Any) -> bool:
    """Whether ``verify_signature`` accepts a delivery."""
    try:
        return verify_signature(payload, header, secret, **limits)
    except SignatureError:
        return False


def verify_signature(payload: bytes, header: Optional[str], secret: str, tolerance: float = 300, now: Optional[float] = None) -> bool:
    """For receivers: ``True`` if a delivery is genuine and fresh. Raises ``SignatureError`` otherwise.

    ``payload`` is the raw body, ``header`` the value of ``svc-signature``. ``tolerance`` is in seconds, ``now`` in unix seconds.
    """
    if not isinstance(payload, (bytes, bytearray)):
        remedy = "It is request.get_data() in Flask, await request.body() in FastAPI, request.body in Django."
        raise TypeError(f"payload must be the raw body as bytes, got {type(payload).__name__}. {remedy}")
    if not header:
        raise SignatureError("The svc-signature header is missing. Pass its value unchanged.")
    parts = [part.strip().partition("=") for part in header.split(",")]
    stamp = next((value for name, _, value in parts if name == "t"), "")
    if not re.fullmatch(r"\d{1,12}", stamp):
        raise SignatureError(f'svc-signature reads "{header[:80]}" where t=<unix>,v1=<hex> was expected.')
    expected = hmac.new(secret.encode(), stamp.encode() + b"." + payload, hashlib.sha256).hexdigest()
    if not any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, _, value in parts):
        raise SignatureError(
            "No v1 of svc-signature is valid for the raw body and the secret. Pass the body as it was received, not JSON that "
            "was parsed and written again, and the secret from the answer that created this endpoint."
        )
    age = (time.time() if now is None else now) - int(stamp)
    if age > tolerance:
        remedy = "Check the receiver's clock, or raise tolerance."
        raise SignatureError(f"The signature is {age:.0f} s old; at most {tolerance:g} s are accepted. {remedy}")
    return True


class Receiver:
    """The WSGI or ASGI app that ``make_app(secret)`` returns, on its own port, with an endpoint of an account."""

    def __init__(self, account: Account, make_app: Callable[[str], Any], events: Sequence[str], path: str = "/") -> None:
        self._account = account
        self._returned: Set[str] = set()
        self._undo = contextlib.ExitStack()
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}{path}"
        with contextlib.ExitStack() as undo:
            undo.callback(listener.close)
            order = {"url": self.url, "events": list(events), "workspace_id": account.workspace_id}
            # A control operation, because this is not a request of the app under test.
            endpoint = account._emulator.call("POST", "/_emulator/endpoints", order)
            self.endpoint_id: str = endpoint["id"]
            self.secret: str = endpoint["secret"]
            undo.callback(self._unsubscribe)
            undo.callback(_serve(_app_made(make_app, self.secret), listener))
            self._undo = undo.pop_all()

    def wait(self, event_type: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True) -> Record:
        """The next genuine delivery of that type, of an event that was not returned yet; with ``genuine=False`` any delivery."""
        deadline = time.monotonic() + timeout
        while True:
            found = self._account.wait(f"delivery:{event_type}", max(0.0, deadline - time.monotonic()), after, genuine)
            after = found["id"]
            is_new = found["id"] not in self._returned and not (genuine and found["event_id"] in self._returned)
            if found["endpoint_id"] == self.endpoint_id and is_new:
                self._returned.update([found["id"], *([found["event_id"]] if genuine else [])])
                return found

    def close(self) -> None:
        """Ends the subscription and the server of the receiver; may be called twice."""
        undo, self._undo = self._undo, contextlib.ExitStack()
        if UNDER_CHECK:
            # What check sends in addition to an event may arrive only after the end of the test.
            with contextlib.suppress(EmulatorError, ConnectionError):
                self._account.wait("idle", CLOSING_SECONDS)
        undo.close()

    def _unsubscribe(self) -> None:
        with contextlib.suppress(EmulatorError, ConnectionError):
            self._account._emulator.call("DELETE", f"/_emulator/endpoints/{self.endpoint_id}")


def _app_made(make_app: Callable[[str], Any], secret: str) -> Callable[..., Any]:
    app = make_app(secret)
    if not callable(app):
        raise TypeError(f"make_app returned {type(app).__name__}; expected a WSGI or ASGI app. Return the app from it.")
    return app


def _serve(app: Callable[..., Any], listener: socket.socket) -> Callable[[], None]:
    """Serves the app on a listening socket. Returns the function that ends it."""
    is_asgi = any(asyncio.iscoroutinefunction(each) for each in (app, getattr(app, "__call__", None)))
    asgi = _AsgiApp(app) if is_asgi else None
    server = _AppServer(listener.getsockname(), _QuietHandler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = listener.getsockname()[:2]
    server.setup_environ()
    server.set_app(asgi or app)
    # 0.02 is in seconds: Python's default of 0.5 would be added to each test.
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    def close() -> None:
        server.shutdown()
        server.server_close()
        if asgi:
            asgi.close()

    return close


class _AppServer(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class _QuietHandler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """The output of a test belongs to the test."""


_ASGI = {"version": "3.0", "spec_version": "2.3"}


class _AsgiApp:
    """An ASGI app as a WSGI app, with its own event loop and a task for each request."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._run(self._open())

    def __call__(self, environ: Record, start_response: Callable[..., Any]) -> List[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, headers, response = self._run(self._exchange(_scope_of(environ), body))
        named = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
        kept = [each for each in named if each[0].lower() not in ("connection", "transfer-encoding")]
        start_response(f"{status} -", kept)
        return [response]

    def close(self) -> None:
        self._run(self._shut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _exchange(self, scope: Record, body: bytes) -> Tuple[int, List[Tuple[bytes, bytes]], bytes]:
        messages = [{"type": "http.request", "body": body, "more_body": False}]
        status, headers, pieces = 500, [], []

        async def receive() -> Record:
            return messages.pop() if messages else {"type": "http.disconnect"}

        async def send(message: Record) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], list(message.get("headers", []))
            elif message["type"] == "http.response.body":
                pieces.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return status, headers, b"".join(pieces)

    async def _open(self) -> None:
        """Starts the app's lifespan; an app without one ends this task."""
        said: asyncio.Queue[Record] = asyncio.Queue()
        self._asked: asyncio.Queue[Record] = asyncio.Queue()
        self._life = asyncio.ensure_future(self._app({"type": "lifespan", "asgi": _ASGI}, self._asked.get, said.put))
        await self._asked.put({"type": "lifespan.startup"})
        first = asyncio.ensure_future(said.get())
        await asyncio.wait([self._life, first], return_when=asyncio.FIRST_COMPLETED)
        if first.done() and first.result()["type"] == "lifespan.startup.failed":
            raise RuntimeError(f"The app did not start: {first.result().get('message', 'no reason given')}")
        first.cancel()

    async def _shut(self) -> None:
        await self._asked.put({"type": "lifespan.shutdown"})
        await asyncio.wait([self._life], timeout=10)
        if self._life.done():
            self._life.exception()


def _scope_of(environ: Record) -> Record:
    named = [(key[5:], value) for key, value in environ.items() if key.startswith("HTTP_")]
    named += [(key, environ[key]) for key in ("CONTENT_TYPE", "CONTENT_LENGTH") if environ.get(key)]
    path = environ["PATH_INFO"].encode("latin-1")
    return {
        **{"type": "http", "asgi": _ASGI, "http_version": "1.1", "scheme": "http", "root_path": ""},
        **{"method": environ["REQUEST_METHOD"], "path": path.decode("utf-8", "replace"), "raw_path": urllib.parse.quote(path).encode()},
        "query_string": environ.get("QUERY_STRING", "").encode("latin-1"),
        "headers": [(key.lower().replace("_", "-").encode(), value.encode("latin-1")) for key, value in named],
        **{"client": (environ["REMOTE_ADDR"], 0), "server": ("127.0.0.1", int(environ["SERVER_PORT"]))},
    }


def _story(account: Account) -> str:
    lines = []
    for each in account._records("requests"):
        retry = f", retry {each['retry_count']}" if each["retry_count"] else ""
        cost = _counted(each["credits"] or 0, "credit")
        lines.append(f"{each['method']} {each['path']} -> {each['status']}, {cost}{retry} ({each['id']})")
        if each["status"] >= 400 and each["answer"]:
            lines.append(f"  got {each['answer'][:300]}")
    for each in account._records("jobs"):
        if each.get("error"):
            lines.append(f"{each['id']} of {each['model']} failed: {each['error']['code']}: {each['error']['message']}")
        elif "completed" not in each:
            ordered = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(each["created"]))
            lines.append(f"{each['id']} of {each['model']} is {each['status']}, ordered at {ordered}")
    return "\n".join(lines or ["(none)"])


def _is_of_neither(file: str) -> bool:
    """True for a file that belongs neither to the app nor to a test."""
    parts = ("conftest.py", "site-packages", "dist-packages", os.path.dirname(os.__file__), __file__)
    return any(each in file for each in parts)


class _Test:
    """The current test and its accounts."""

    compared = ""  # The last comparison of the current test that failed, with whole values.

    def __init__(self, emulator: Emulator, item: Any) -> None:
        self.emulator = emulator
        self.accounts: List[Account] = []
        file, _, name = item.nodeid.partition("::")
        retry = getattr(item, "execution_count", 1) > 1
        source = str(getattr(item, "path", None) or item.fspath)  # pytest 6 has no path.
        self._named = {"name": name or file, "file": source, "line": (item.location[1] or 0) + 1, "retry": retry}
        _Test.compared = ""

    def order(self) -> Record:
        """The fields of ``POST /_emulator/accounts`` that name the test, if the run needs them."""
        if os.environ.get("SVC_REPORT_TESTS") != "1" and not UNDER_CHECK:
            return {}
        return {"test_id": self.accounts[0].test_id} if self.accounts else {"test": self._named}

    def error(self, excinfo: Any) -> str:
        """As pytest writes it, ``test_shop.py:48: AssertionError: …``, and the errors that caused it."""
        places = [(str(entry.path), entry.lineno + 1) for entry in excinfo.traceback]
        own = [(os.path.basename(file), line) for file, line in places if not _is_of_neither(file)]
        place = "{}:{}: ".format(*own[-1]) if own else ""
        chain = [excinfo.value]
        while len(chain) < 5 and (cause := chain[-1].__cause__ or chain[-1].__context__):
            chain.append(cause)
        said = excinfo.exconly()
        if self.compared and "..." in said and "assert " in said:
            said = said.partition("assert ")[0] + _without_middle(self.compared, 1800)
        return "\n".join([place + said, *(f"Caused by {type(each).__name__}: {each}" for each in chain[1:])])

    def end(self, outcome: str, error: Optional[str] = None) -> None:
        if not self.accounts or self.accounts[0].test_id is None:
            return
        with contextlib.suppress(EmulatorError, ConnectionError):
            end = {"outcome": outcome, **_present(error=error and _cut(error, 2000))}
            self.emulator.call("PATCH", f"/_emulator/tests/{self.accounts[0].test_id}", end)


try:
    import pytest
except ImportError:  # Without pytest, the classes can still be used.
    pytest = None  # type: ignore[assignment]

if pytest is not None:

    @pytest.fixture(scope="session")
    def emulator() -> Iterator[Emulator]:
        """One for all tests of a process, or the one of ``svc-emulator exec``."""
        _reach_past_proxies()
        with Emulator.find() as found:
            yield found

    @pytest.fixture(autouse=True)
    def _svc_test(request: Any) -> Iterator[None]:
        """Accounts that a test creates belong to it."""
        emulator = request.getfixturevalue("emulator") if "emulator" in request.fixturenames else None
        is_ours = isinstance(emulator, Emulator)  # A suite may have a fixture of its own by that name.
        if is_ours:
            request.node._svc_test = emulator._test = _Test(emulator, request.node)
        yield
        if is_ours:
            emulator._test = None

    @pytest.fixture
    def account(emulator: Emulator, request: Any) -> Account:
        """New for each test, with its name, 1,000 credits and the studio plan. A failed test prints its requests."""
        return emulator.account(request.node.name[:200], plan="studio", credits=1000)

    @pytest.fixture
    def inbox(emulator: Emulator) -> Inbox:
        """A receiver of webhooks, new for each test."""
        return emulator.inbox()

    @pytest.fixture
    def receiver(account: Account) -> Iterator[Callable[..., Receiver]]:
        """``receiver(make_app, events)`` serves the WSGI or ASGI app of ``make_app(secret)`` as an endpoint of ``account``."""
        with contextlib.ExitStack() as open_ones:

            def serve(make_app: Callable[[str], Any], events: Sequence[str], path: str = "/") -> Receiver:
                served = Receiver(account, make_app, events, path)
                open_ones.callback(served.close)
                return served

            yield serve

    def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> None:
        """Keeps the compared values for ``check``, because pytest shortens them in its message."""
        if UNDER_CHECK:
            _Test.compared = f"assert {left!r} {op} {right!r}"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
        """Reports the outcome of a test, and prints the requests of its accounts below a failed one."""
        outcome = yield
        report = outcome.get_result()
        test = getattr(item, "_svc_test", None)
        if test is None:
            return
        if report.when == "call" or not report.passed:
            error = test.error(call.excinfo) if report.failed and call.excinfo else None
            test.end("passed" if hasattr(report, "wasxfail") else report.outcome, error)
        if report.when == "call" and report.failed:
            with contextlib.suppress(EmulatorError, ConnectionError):
                for account in test.accounts:
                    report.sections.append((f"Requests of {account.id}", _story(account)))
