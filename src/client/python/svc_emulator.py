"""A client for svc-emulator, and its pytest plugin: one file, nothing but the standard library.

Put it beside the tests (``svc-emulator python-client --out svc_emulator.py``) and name it once::

    # conftest.py
    pytest_plugins = ["svc_emulator"]

Every test may then ask for ``emulator``, ``account``, ``inbox`` and ``receiver``. Without pytest::

    from svc_emulator import Emulator

    with Emulator.start() as emulator:
        account = emulator.account(credits=100)

Python 3.9 or later. Records are the JSON of the control surface, as dictionaries: docs/http-api.md names their fields.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import hmac
import html
import http.client
import inspect
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
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Type, TypeVar, Union

__all__ = [
    "Account",
    "Clock",
    "Emulator",
    "EmulatorError",
    "Faults",
    "Inbox",
    "Receiver",
    "SignatureError",
    "Snapshot",
    "Spend",
    "Waits",
    "is_genuine",
    "spends",
    "verify_signature",
]

Record = Dict[str, Any]
_AnyTest = TypeVar("_AnyTest", bound=Callable[..., Any])
Query = Mapping[str, Optional[Union[str, int, float]]]

#: Ten times what a start takes on a slow machine, in seconds.
START_SECONDS = 60
#: How long an answer of the emulator may take beyond what was asked for, in seconds.
ANSWER_SECONDS = 120
#: The most that is read of an answer, in bytes: more than a trace with all of its media.
MOST_BYTES = 512 * 1024 * 1024
#: How long a receiver that is closed under check goes on for what is on its way, in seconds.
CLOSING_SECONDS = 2
READY = re.compile(r"^svc-emulator ready on (\S+)$")


def _is_searched() -> bool:
    """Whether ``svc-emulator check`` runs this process: no files are written then."""
    return os.environ.get("SVC_CHECK") == "1"


#: How long a wait takes by default, in seconds; under check much never comes, and the other tests would wait for it too.
WAIT_SECONDS = 10 if _is_searched() else 60


class EmulatorError(Exception):
    """What the emulator answered that a request could not have: ``code`` and ``param`` as in the service's errors."""

    def __init__(self, status: int, code: str, message: str, param: Optional[str] = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


class _Http:
    """Speaks JSON with one emulator. A connection of its own for each call: tests may run in threads."""

    def __init__(self, url: str, token: Optional[str] = None) -> None:
        self.url = url.rstrip("/")
        self._token = token

    def control(self, method: str, path: str, body: Any = None, query: Optional[Query] = None) -> Any:
        return self.call(method, f"/_emulator{path}", body, query, self._token)

    def list(self, path: str, query: Optional[Query] = None) -> List[Record]:
        """A list of the control surface, oldest first."""
        return list(reversed(self.control("GET", path, query=query)["data"]))

    def call(
        self, method: str, path: str, body: Any = None, query: Optional[Query] = None, key: Optional[str] = None
    ) -> Any:
        """The JSON of an answer, its bytes where it is none, ``None`` where it is empty. Raises ``EmulatorError``."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = urllib.parse.quote(path, safe=_IN_PATHS) + (f"?{urllib.parse.urlencode(given)}" if given else "")
        headers = {} if key is None else {"authorization": f"Bearer {_sendable(key)}"}
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
            raise ConnectionError(f"What answers at {self.url} is no emulator: its JSON cannot be read ({error}).") from error

    def _exchange(
        self, method: str, target: str, data: Optional[bytes], headers: Dict[str, str]
    ) -> Tuple[int, str, bytes]:
        """No redirect is followed: the key goes to no other host."""
        parts = urllib.parse.urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        limit = _longest(target)
        connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=limit)
        try:
            connection.connect()
            with _hung_up_after(limit, connection.sock) as is_over:
                connection.request(method, target, data, headers)
                response = connection.getresponse()
                answer = _read(response)
            if is_over():
                raise OSError(f"its answer was not whole within {limit:g} s")
            if len(answer) > MOST_BYTES:
                raise OSError(f"its answer is over {MOST_BYTES} bytes")
            if response.length:
                raise OSError(f"its answer ended {response.length} bytes too early")
            return response.status, response.getheader("content-type") or "", answer
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionError(
                f"No emulator answers at {self.url} ({str(error).strip()}). Start one with `svc-emulator start`, "
                "or run the tests under `svc-emulator exec -- pytest`."
            ) from error
        finally:
            connection.close()


#: What a path may hold as it is; anything else is sent percent-encoded.
_IN_PATHS = "/%?#&=:;,+@!$'()*~[]"


def _sendable(key: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("The API key holds characters that no header can carry; use it as the emulator gave it.")
    return key


@contextlib.contextmanager
def _hung_up_after(seconds: float, connected: socket.socket) -> Iterator[Callable[[], bool]]:
    """However an answer drips: the time-out of a socket is for each of its pieces."""
    over = threading.Event()

    def hang_up() -> None:
        over.set()
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield over.is_set
    finally:
        timer.cancel()


def _read(response: http.client.HTTPResponse) -> bytes:
    """All of it, or a piece more than may be."""
    read = bytearray()
    while len(read) <= MOST_BYTES:
        piece = response.read(65536)
        if not piece:
            break
        read += piece
    return bytes(read)


def _longest(target: str) -> float:
    asked = re.search(r"[?&]timeout=([\d.]+)", target)
    return ANSWER_SECONDS + (float(asked.group(1)) if asked else 0)


def _error_of(status: int, answer: bytes) -> EmulatorError:
    try:
        error = json.loads(answer)["error"]
        return EmulatorError(status, str(error["code"]), str(error["message"]), error["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        said = answer.decode("utf-8", "replace")[:500]
        return EmulatorError(status, "unknown", said or f"It was answered {status}, with nothing more.")


def _seconds(span: Union[int, float, timedelta]) -> float:
    return span.total_seconds() if isinstance(span, timedelta) else span


def _present(**fields: Any) -> Record:
    return {name: value for name, value in fields.items() if value is not None}


def _snake(name: str) -> str:
    """``accountId`` of the JavaScript client as ``account_id``."""
    return re.sub("(?<=[a-z0-9])[A-Z]", lambda found: "_" + found.group().lower(), name)


def _snaked(value: Any) -> Any:
    return {_snake(name): _snaked(each) for name, each in value.items()} if isinstance(value, dict) else value


class Clock:
    """The emulator's clock. Every move answers when all that thereby fell due has settled. It is everybody's."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def now(self) -> datetime:
        return _time_of(self._http.control("GET", "/clock"))

    def is_frozen(self) -> bool:
        return bool(self._http.control("GET", "/clock")["frozen"])

    def advance(self, span: Union[int, float, timedelta] = 0, **parts: float) -> datetime:
        """By seconds, a ``timedelta``, or ``advance(days=8)``; the parts are those of ``timedelta``."""
        seconds = _seconds(span) + timedelta(**parts).total_seconds()
        return _time_of(self._http.control("POST", "/clock/advance", {"seconds": seconds}))

    def set(self, now: Union[datetime, str]) -> datetime:
        return _time_of(self._http.control("PUT", "/clock", {"now": _iso(now)}))

    def freeze(self, now: Optional[Union[datetime, str]] = None) -> datetime:
        """Stops it, where it is or at ``now``."""
        at = {} if now is None else {"now": _iso(now)}
        return _time_of(self._http.control("PUT", "/clock", {**at, "frozen": True}))

    def unfreeze(self) -> datetime:
        return _time_of(self._http.control("PUT", "/clock", {"frozen": False}))


def _iso(moment: Union[datetime, str]) -> str:
    if isinstance(moment, str):
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; give it one, as in datetime.now(timezone.utc).")
    return moment.isoformat()


def _time_of(reading: Record) -> datetime:
    return datetime.fromisoformat(reading["now"].replace("Z", "+00:00"))


class Faults:
    """Fault rules. Those of an account apply to no other."""

    def __init__(self, http: _Http, account_id: Optional[str] = None) -> None:
        self._http = http
        self._account_id = account_id

    def add(
        self,
        effect: Record,
        *,
        times: Optional[int] = None,
        probability: Optional[float] = None,
        ttl_seconds: Optional[float] = None,
        **match: Any,
    ) -> Record:
        """``faults.add({"fail_job": "out_of_tune"}, path="/v1/music")``: what is no option narrows what it strikes."""
        match = {_snake(name): value for name, value in match.items()}
        effect = _snaked(effect)
        if self._account_id is not None:
            match.setdefault("account_id", self._account_id)
        order = _present(times=times, probability=probability, ttl_seconds=ttl_seconds)
        return self._http.control("POST", "/faults", {"match": match, "effect": effect, **order})

    def list(self) -> List[Record]:
        """Oldest first; ``strikes`` says how often each was applied."""
        return self._http.list("/faults", {"account_id": self._account_id})

    def remove(self, fault_id: str) -> None:
        self._http.control("DELETE", f"/faults/{fault_id}")

    def clear(self) -> None:
        self._http.control("DELETE", "/faults", query={"account_id": self._account_id})


class Waits:
    """Returns as soon as the condition holds; ``EmulatorError`` (``timeout``) when it is not in time."""

    def __init__(self, http: _Http, account_id: Optional[str] = None) -> None:
        self._http = http
        self._account_id = account_id

    def job(self, job_id: str, timeout: float = WAIT_SECONDS) -> Record:
        """Until it is final."""
        return self._wait(f"job:{job_id}", timeout)

    def run(self, run_id: str, timeout: float = WAIT_SECONDS) -> Record:
        """Until it is final."""
        return self._wait(f"run:{run_id}", timeout)

    def event(self, event_type: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None) -> Record:
        """Until one of that type is on record, after the event of that id."""
        return self._wait(f"event:{event_type}", timeout, after)

    def delivery(
        self, event_type: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True
    ) -> Record:
        """Until a genuine one of that type was attempted and recorded; with ``genuine=False`` any.

        Genuine is what is signed with the endpoint's secret, not too long ago; a duplicate of such a one is, too.
        """
        return self._wait(f"delivery:{event_type}", timeout, after, genuine)

    def message(
        self, inbox: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True
    ) -> Record:
        """Until the inbox of that name holds a genuine one; with ``genuine=False`` any."""
        return self._wait(f"inbox:{inbox}", timeout, after, genuine)

    def idle(self, timeout: float = WAIT_SECONDS) -> None:
        """Until nothing is queued, rendered, run or delivered."""
        self._wait("idle", timeout)

    def _wait(
        self, what: str, timeout: float, after: Optional[str] = None, genuine: Optional[bool] = None
    ) -> Record:
        query = {"for": what, "timeout": timeout, "after": after, "account_id": self._account_id}
        only = {} if genuine is None else {"genuine": "true" if genuine else "false"}
        return self._http.control("GET", "/wait", query={**query, **only})


class Spend:
    """What a piece of work cost: ``credits`` net of refunds, the number of ``refunds``, and the ledger's ``entries``."""

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
        counts = f"{_counted(self.credits, 'credit')} spent and {_counted(self.refunds, 'refund')}"
        return "\n".join([f"{counts}:", *lines])


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


class Account:
    """An account of one's own: what a test does on it no other test sees."""

    def __init__(self, http: _Http, opened: Record) -> None:
        self._http = http
        self.id: str = opened["id"]
        self.workspace_id: str = opened["workspace_id"]
        #: Pass it to the client under test.
        self.api_key: str = opened["api_key"]
        #: The test that it was reported to be made for.
        self.unit_id: Optional[str] = opened.get("unit_id")
        self.faults = Faults(http, self.id)
        self.wait = Waits(http, self.id)

    @property
    def url(self) -> str:
        """Without a path."""
        return self._http.url

    @property
    def base_url(self) -> str:
        """What an ``openai`` client takes."""
        return f"{self._http.url}/v1"

    def call(self, method: str, path: str, body: Any = None, query: Optional[Query] = None) -> Any:
        """Asks the service itself, with this account's key: ``account.call("GET", "/v1/account")``."""
        return self._http.call(method, path, body, query, self.api_key)

    def balance(self) -> int:
        return self._http.control("GET", f"/accounts/{self.id}")["credits"]

    def movements(self) -> List[Record]:
        """By what its spend is measured: the ledger; on the real service, what its balance has changed by."""
        return self.ledger()

    def ledger(self) -> List[Record]:
        """Every movement of money, oldest first."""
        pages: List[Record] = []
        after: Optional[str] = None
        while True:
            query = {"limit": 1000, "after": after}
            page = self._http.control("GET", f"/accounts/{self.id}/usage", query=query)["data"]
            pages.extend(page)
            if len(page) < 1000:
                return pages[::-1]
            after = page[-1]["id"]

    def jobs(self) -> List[Record]:
        """Oldest first; looking settles nothing."""
        return self._http.list("/jobs", {"account_id": self.id})

    def events(self) -> List[Record]:
        """Oldest first; ``envelope`` is what deliveries carry."""
        return self._http.list("/events", {"account_id": self.id})

    def deliveries(self) -> List[Record]:
        """Oldest first."""
        return self._http.list("/deliveries", {"account_id": self.id})

    def requests(self) -> List[Record]:
        """The newest 1,000 of them, oldest first."""
        return self._http.list("/requests", {"account_id": self.id})

    def verdict(self) -> Record:
        """What its client did wrong, by what is on record."""
        return self._http.control("GET", "/verdict", query={"account_id": self.id})

    def top_up(self, amount: int) -> Record:
        return self._http.control("POST", f"/accounts/{self.id}/credits", {"amount": amount})

    def set_plan(self, plan: str) -> Record:
        """``payg``, ``hobby``, ``creator`` or ``studio``."""
        return self._http.control("PATCH", f"/accounts/{self.id}", {"plan": plan})

    def set_progression(self, mode: Optional[str], value: Optional[float] = None) -> Record:
        """How its jobs move: ``render``, ``seconds``, ``polls``, ``manual``, or ``None`` for everybody's way."""
        order = {"mode": mode, "account_id": self.id, **_present(value=value)}
        return self._http.control("PUT", "/progression", order)

    def subscribe(self, url: str, events: Sequence[str], flow_id: Optional[str] = None) -> Record:
        """A webhook endpoint of this account's workspace; ``secret`` is in this answer only."""
        return self.call("POST", "/v1/webhooks", {"url": url, "events": list(events), **_present(flow_id=flow_id)})

    @contextlib.contextmanager
    def spending(self, credits: Optional[int] = None, refunds: Optional[int] = None) -> Iterator[Spend]:
        """Measures what is done within it, waiting for renders, and fails when it cost something else.

        ``with account.spending(credits=24): …``
        """
        before = {entry["id"] for entry in self.movements()}
        spend = Spend()
        yield spend
        self.wait.idle()
        spend.entries = [
            entry for entry in self.movements() if entry["id"] not in before and entry["type"] in ("charge", "refund")
        ]
        wanted = _present(credits=credits, refunds=refunds)
        met = {"credits": spend.credits, "refunds": spend.refunds}
        if any(met[name] != value for name, value in wanted.items()):
            raise AssertionError(f"Expected {' and '.join(_counted(n, name[:-1]) for name, n in wanted.items())}, got {spend}")


def spends(credits: Optional[int] = None, refunds: Optional[int] = None) -> Callable[[_AnyTest], _AnyTest]:
    """For a test that takes ``account``: what it does, renders included, has to cost so much.

    ``@spends(12)`` is ``with account.spending(credits=12)`` around the whole test.
    """

    def wrap(test: _AnyTest) -> _AnyTest:
        if "account" not in inspect.signature(test).parameters:
            raise TypeError(f"@spends is for a test that takes account; {test.__name__} does not. Add it to its parameters.")
        if inspect.iscoroutinefunction(test):

            @functools.wraps(test)
            async def measured_later(*args: Any, **kwargs: Any) -> Any:
                with kwargs["account"].spending(credits, refunds):
                    return await test(*args, **kwargs)

            return measured_later  # type: ignore[return-value]

        @functools.wraps(test)
        def measured(*args: Any, **kwargs: Any) -> Any:
            with kwargs["account"].spending(credits, refunds):
                return test(*args, **kwargs)

        return measured  # type: ignore[return-value]

    return wrap


class Inbox:
    """A built-in receiver: give its ``url`` to a webhook endpoint, and read what came."""

    def __init__(self, http: _Http, name: str) -> None:
        self._http = http
        self.name = name
        self.url = f"{http.url}/_emulator/inbox/{urllib.parse.quote(name, safe='')}"

    def messages(self) -> List[Record]:
        """Oldest first, each with its ``body`` and whether its ``signature`` is ``verified``."""
        return self._http.list(f"/inbox/{urllib.parse.quote(self.name, safe='')}/messages")

    def wait(self, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True) -> Record:
        """The next genuine message, at once when there is one already; with ``genuine=False`` the next of any kind."""
        return Waits(self._http).message(self.name, timeout, after, genuine)

    def clear(self) -> None:
        self._http.control("DELETE", f"/inbox/{urllib.parse.quote(self.name, safe='')}/messages")


class Snapshot:
    """The whole state, kept under a name."""

    def __init__(self, http: _Http, name: str) -> None:
        self._http = http
        self.name = name

    def restore(self) -> None:
        self._http.control("POST", f"/snapshots/{self.name}/restore")

    def remove(self) -> None:
        self._http.control("DELETE", f"/snapshots/{self.name}")


class Emulator:
    """One emulator: ``Emulator.start()``, ``Emulator.connect(url)``, or whichever there is: ``Emulator.find()``."""

    def __init__(self, url: str, token: Optional[str] = None, process: Optional[subprocess.Popen[str]] = None) -> None:
        self._http = _Http(url, token)
        self._process = process
        #: Whether the service itself is called, and not an emulator.
        self.is_real = False
        self._open_account: Callable[[_Http, Record], Account] = Account
        self.url = self._http.url
        self.clock = Clock(self._http)
        self.faults = Faults(self._http)
        self.wait = Waits(self._http)
        self._test: Optional[_Test] = None

    @classmethod
    def connect(cls, url: str, control_token: Optional[str] = None) -> Emulator:
        """One that runs already. ``control_token`` is wanted beyond loopback only. Raises ``ConnectionError``."""
        emulator = cls(url, control_token)
        emulator.health()
        return emulator

    @classmethod
    def start(cls, *flags: str, command: Optional[Sequence[str]] = None, cwd: Optional[str] = None) -> Emulator:
        """A fresh one on a free port that keeps nothing; ``flags`` are those of ``svc-emulator start``.

        ``command`` is how svc-emulator is called here, by default ``SVC_EMULATOR_COMMAND``, the one in the
        ``node_modules`` of this folder or one above it, or the one on the ``PATH``. Raises ``RuntimeError``.
        """
        settled = ["start", "--port", "0", "--ephemeral", "--log", "silent", *flags]
        line = [*(command or _command(Path(cwd or os.getcwd()))), *settled]
        process = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd
        )
        try:
            return cls(_ready_url(process), process=process)
        except BaseException:
            _end(process)
            raise

    @classmethod
    def find(cls) -> Emulator:
        """The one that ``svc-emulator exec`` has started for this process, else a fresh one.

        With ``SVC_TARGET=real``, the service at ``SVC_BASE_URL`` with the key ``SVC_API_KEY`` in its place: what only an
        emulator has then skips the test.
        """
        url = os.environ.get("SVC_BASE_URL")
        target = os.environ.get("SVC_TARGET") or "emulator"
        if target not in ("real", "emulator"):
            raise ValueError(f"SVC_TARGET is {target[:80]}; expected real or emulator.")
        if target == "real":
            return _real_emulator(url, os.environ.get("SVC_API_KEY"))
        if url:
            return cls.connect(url, os.environ.get("SVC_EMULATOR_CONTROL_TOKEN") or None)
        # As under exec: a job that is not polled settles at once.
        return cls.start("--settle-after", "0")

    def stop(self) -> None:
        """Ends what ``start`` has started; one that was found goes on."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _begin(self, test: Optional[_Test]) -> None:
        """A test begins, or has ended: ``None``."""
        if test is not None and isinstance(self._http, _RealHttp):
            self._http.require_credits()
        self._test = test

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """What an ``openai`` client takes."""
        return f"{self.url}/v1"

    def control(self, method: str, path: str, body: Any = None, query: Optional[Query] = None) -> Any:
        """Anything of the control surface: ``emulator.control("GET", "/engines")``."""
        return self._http.control(method, path, body, query)

    def health(self) -> Record:
        return self._http.control("GET", "/health")

    def account(
        self,
        name: Optional[str] = None,
        *,
        credits: Optional[int] = None,
        plan: Optional[str] = None,
        role: Optional[str] = None,
        workspace_id: Optional[str] = None,
    ) -> Account:
        """A new one with a key of its own; without ``workspace_id`` the owner of a new workspace, with 50 credits.

        What is made while a test runs belongs to that test.
        """
        order = _present(name=name, credits=credits, plan=plan, role=role, workspace_id=workspace_id)
        test = self._test
        opened = self._open_account(
            self._http, self._http.control("POST", "/accounts", {**order, **(test.unit() if test else {})})
        )
        if test:
            test.accounts.append(opened)
        return opened

    def inbox(self, name: Optional[str] = None) -> Inbox:
        """A built-in receiver; without a name, one of its own."""
        name = name or f"inbox-{uuid.uuid4().hex[:12]}"
        if isinstance(self._http, _RealHttp):
            _skip_real(_NO_WEBHOOKS)
        return Inbox(self._http, name)

    def snapshot(self, name: str) -> Snapshot:
        """Keeps the whole state under a name."""
        self._http.control("POST", "/snapshots", {"name": name})
        return Snapshot(self._http, name)

    def note(self, text: str, account: Optional[Account] = None) -> None:
        """Puts a note on record, of one account or of all: trace, Live and the timelines of orders show it at its time."""
        self._http.control("POST", "/notes", {"text": text, **_present(account_id=account and account.id)})

    def invariants(self) -> Record:
        """What must hold at every moment, checked now."""
        return self._http.control("GET", "/invariants")

    def explain(self, request_id: str) -> Record:
        """What became of a request, by its ``x-request-id``."""
        return self._http.control("GET", f"/explain/{urllib.parse.quote(request_id, safe='')}")

    def report_card(self, url: str, secret: str, events: Optional[Sequence[str]] = None) -> Record:
        """Tries a webhook receiver with what will happen in production; ``ok`` says whether all went well."""
        order = {"url": url, "secret": secret, **_present(events=events and list(events))}
        return self._http.control("POST", "/verify", order)

    def reset(self) -> None:
        """Back to the seeded state; snapshots stay."""
        self._http.control("POST", "/reset")


#: The id of the one account that there is on the real service.
_REAL_ACCOUNT = "acct_real"
#: How long a wait may take there, and how often is looked, in seconds.
_REAL_SECONDS = 900
_REAL_PAUSE = 1.0
#: The credits of the fixture's own account: fewer are asked for by tests of an account that runs out.
_REAL_ENOUGH = 1000
_UNDER_WAY = ("queued", "pending", "processing", "in_progress", "running")
_NO_WEBHOOKS = "it receives webhooks, and the service reaches no receiver of this machine"
_ONLY_HERE = (
    ("/clock", "it moves or reads the emulator's clock"),
    ("/faults", "it sets fault rules"),
    ("/holds", "it holds messages"),
    ("/progression", "it sets how jobs progress"),
    ("/snapshots", "it keeps or restores the state"),
    ("/reset", "it keeps or restores the state"),
    ("/inbox", _NO_WEBHOOKS),
    ("/fixtures", "it scripts answers"),
    (f"/accounts/{_REAL_ACCOUNT}/usage", "it reads the ledger"),
)


def _skip_real(what: str) -> NoReturn:
    reason = f"not on the real service (SVC_TARGET=real): {what}"
    if pytest is None:
        raise RuntimeError(reason)
    pytest.skip(reason)


class _RealHttp(_Http):
    """What the service itself can answer of the control surface: its one account, its balance, and waits, which poll."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(url)
        self._key = key
        self._limit = _credit_limit()
        self._over: Optional[str] = None

    def require_credits(self) -> None:
        """Fails the test that begins where ``exec --max-credits`` is reached; a balance that cannot be read counts as spent."""
        if self._limit and self._over is None:
            self._over = self._spent(*self._limit)
        if self._over is not None:
            raise RuntimeError(self._over)

    def _spent(self, credits: int, before: int) -> Optional[str]:
        which = f"--max-credits is {credits}"
        try:
            spent = before - int(self._get("/v1/account")["credits"])
        except (EmulatorError, ConnectionError, KeyError, TypeError, ValueError) as error:
            return f"Not run: {which}, and the balance cannot be read: {error}"
        # Of a limit of 0, tests that cost nothing run.
        return None if spent < max(credits, 1) else f"Not run: the run has spent {_counted(spent, 'credit')}, and {which}."

    def control(self, method: str, path: str, body: Any = None, query: Optional[Query] = None) -> Any:
        if (method, path) == ("POST", "/accounts"):
            return self._opened(body or {})
        if (method, path) == ("GET", f"/accounts/{_REAL_ACCOUNT}"):
            return {"id": _REAL_ACCOUNT, **self._get("/v1/account")}
        if path == "/wait":
            return self._waited(str((query or {}).get("for")))
        said = (what for start, what in _ONLY_HERE if path.startswith(start))
        _skip_real(next(said, f"it calls the control surface ({method} /_emulator{path})"))

    def _get(self, path: str) -> Record:
        return self.call("GET", path, key=self._key)

    def _opened(self, order: Record) -> Record:
        if order.get("role") or order.get("workspace_id"):
            _skip_real("it wants an account with a role of its own")
        account = self._get("/v1/account")
        credits = order.get("credits", _REAL_ENOUGH)
        if credits < _REAL_ENOUGH:
            _skip_real(f"it wants an account of {credits} credits alone")
        if credits > _REAL_ENOUGH and credits > account["credits"]:
            _skip_real(f"it wants {credits} credits, and the account has {account['credits']}")
        if order.get("plan", "studio") != "studio":
            _skip_real(f"it wants the plan {order['plan']}")
        return {"id": _REAL_ACCOUNT, "workspace_id": "wsp_real", "api_key": self._key, **account}

    def _waited(self, what: str) -> Record:
        kind, _, job_id = what.partition(":")
        if kind == "job":
            return {"for": what, **self._job(job_id)}
        if kind != "idle":
            _skip_real(f"it waits for what the emulator alone reports ({kind})")
        last: List[int] = []

        def at_rest() -> Optional[bool]:
            last.append(self._get("/v1/account")["credits"])
            return len(last) > 2 and len(set(last[-3:])) == 1 or None

        self._until("a balance at rest", at_rest)
        return {"for": what}

    def _job(self, job_id: str) -> Record:
        medium = "videos"
        try:
            self._get(f"/v1/videos/generations/{urllib.parse.quote(job_id, safe='')}")
        except EmulatorError as error:
            if error.status != 404:
                raise
            medium = "music"

        def final() -> Optional[Record]:
            job = self._get(f"/v1/{medium}/generations/{urllib.parse.quote(job_id, safe='')}")
            return None if job["status"] in _UNDER_WAY else job

        return self._until(f"the job {job_id}", final)

    def _until(self, what: str, look: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + _REAL_SECONDS
        while True:
            found = look()
            if found is not None:
                return found
            if time.monotonic() > deadline:
                raise EmulatorError(408, "timeout", f"{what} did not come within {_REAL_SECONDS // 60} minutes.")
            time.sleep(_REAL_PAUSE)


class _RealAccount(Account):
    """The one account: its movements of money are what its balance has changed by from look to look."""

    def __init__(self, http: _Http, opened: Record) -> None:
        super().__init__(http, opened)
        self._credits: int = opened["credits"]
        self._seen: List[Record] = []

    def movements(self) -> List[Record]:
        balance = self.balance()
        amount, self._credits = balance - self._credits, balance
        if amount:
            kind = "charge" if amount < 0 else "refund"
            entry = {"id": f"balance_{len(self._seen) + 1}", "type": kind, "amount": amount, "operation": None}
            self._seen.append({**entry, "balance": balance})
        return list(self._seen)

def _credit_limit() -> Optional[Tuple[int, int]]:
    """What ``exec --max-credits`` lets a run spend, and the balance before it."""
    credits, before = os.environ.get("SVC_MAX_CREDITS"), os.environ.get("SVC_CREDITS_BEFORE")
    return (int(credits), int(before)) if credits and before else None


def _service_address(text: str) -> str:
    """Without ``/v1`` and without a slash at its end. Raises ``ValueError``, which repeats scheme and host alone."""
    url = urllib.parse.urlsplit(text)
    host = url.hostname or ""
    is_here = re.fullmatch(r"localhost|127(?:\.\d{1,3}){3}|::1", host) is not None
    is_clean = "@" not in url.netloc and "?" not in text and "#" not in text
    if host and (url.scheme == "https" or (url.scheme == "http" and is_here)) and is_clean:
        steps = [step for step in url.path.split("/") if step]
        return "/".join([f"{url.scheme}://{url.netloc}", *(steps[:-1] if steps[-1:] == ["v1"] else steps)])
    raise ValueError(
        f"SVC_BASE_URL is {url.scheme}://{host}; expected an https URL, or http on this machine, without a user, query or "
        "fragment, such as https://api.example.com."
    )


def _real_emulator(url: Optional[str], key: Optional[str]) -> Emulator:
    for name, value in (("SVC_BASE_URL", url), ("SVC_API_KEY", key)):
        if not value:
            raise ValueError(f"SVC_TARGET is real, and the environment lacks {name}; set it to that of the service.")
    plain = _service_address(url or "")
    emulator = Emulator(plain)
    http = _RealHttp(plain, key or "")
    emulator.is_real = True
    emulator._http = http
    emulator._open_account = _RealAccount
    emulator.clock = Clock(http)
    emulator.faults = Faults(http)
    emulator.wait = Waits(http)
    return emulator


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
    """Reads on until the ready line; what the program says instead is the error."""
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    try:
        for line in process.stdout or []:
            ready = READY.match(line.strip())
            if ready:
                return ready.group(1)
        said = process.stderr.read().strip() if process.stderr else ""
        raise RuntimeError(f"svc-emulator did not start (exit code {process.wait()}): {said or 'it said nothing'}")
    finally:
        late.cancel()


class SignatureError(ValueError):
    """A delivery is not genuine: its message says what is wrong, and the remedy where the fault is the receiver's own."""


def is_genuine(
    payload: bytes, header: Optional[str], secret: str, tolerance: float = 300, now: Optional[float] = None
) -> bool:
    """Whether ``verify_signature`` accepts a delivery."""
    try:
        return verify_signature(payload, header, secret, tolerance, now)
    except SignatureError:
        return False


def verify_signature(
    payload: bytes, header: Optional[str], secret: str, tolerance: float = 300, now: Optional[float] = None
) -> bool:
    """For receivers: ``True`` when a delivery is genuine and fresh, raises ``SignatureError`` otherwise.

    ``payload`` is the raw body, ``header`` the value of ``svc-signature``; of several ``v1`` one has to fit. ``tolerance``
    is in seconds, ``now`` the receiver's time in unix seconds. Raises ``TypeError`` for a payload that is not bytes.
    """
    if not isinstance(payload, (bytes, bytearray)):
        raise TypeError(
            f"payload must be the raw body as bytes, got {type(payload).__name__}. It is request.get_data() in Flask, "
            "await request.body() in FastAPI, request.body in Django."
        )
    if not header:
        raise SignatureError("The svc-signature header is missing. Pass its value as the delivery carried it.")
    parts = [part.strip().partition("=") for part in header.split(",")]
    stamp = next((value for name, _, value in parts if name == "t"), "")
    if not re.fullmatch(r"\d{1,12}", stamp):
        raise SignatureError(f'svc-signature reads "{header[:80]}" where t=<unix>,v1=<hex> was expected.')
    expected = hmac.new(secret.encode(), stamp.encode() + b"." + payload, hashlib.sha256).hexdigest()
    if not any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, _, value in parts):
        raise SignatureError(
            "No v1 of svc-signature fits the raw body and the secret. Pass the body as it was received, not JSON that "
            "was parsed and written again, and the secret from the answer that created this endpoint."
        )
    age = (time.time() if now is None else now) - int(stamp)
    if age > tolerance:
        raise SignatureError(
            f"The signature is {age:.0f} s old where at most {tolerance:g} s are accepted. Check the receiver's clock, "
            "or raise tolerance."
        )
    return True


class Receiver:
    """A WSGI or ASGI app on a port of its own, subscribed for an account.

    ``app`` is the app, or a function of one argument that makes it from ``secret``, with which its deliveries are signed.
    Whatever requires exactly one argument is such a function: apps require two (WSGI) or three (ASGI).
    """

    def __init__(self, account: Account, app: Callable[..., Any], events: Sequence[str], path: str = "/") -> None:
        if isinstance(account, _RealAccount):
            _skip_real(_NO_WEBHOOKS)
        self._account = account
        self._server: Optional[_AppServer] = None
        #: The events of the deliveries that were waited for, by delivery.
        self._awaited: Dict[str, str] = {}
        listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with contextlib.ExitStack() as undo:
            undo.callback(listener.close)
            self.url = self.origin + path
            order = {"url": self.url, "events": list(events), "workspace_id": account.workspace_id}
            # Through the control surface: what a suite needs to run is no request of the app that it tries.
            endpoint = self._control("POST", "/endpoints", order)
            self.endpoint_id: str = endpoint["id"]
            self.secret: str = endpoint["secret"]
            undo.callback(self._unsubscribe)
            self._server = _serve(_app_of(app, self.secret), listener)
            undo.pop_all()

    def deliveries(self) -> List[Record]:
        """What it was sent, oldest first; ``response_status`` is its answer."""
        return [each for each in self._account.deliveries() if each["endpoint_id"] == self.endpoint_id]

    def wait(
        self, event_type: str, timeout: float = WAIT_SECONDS, after: Optional[str] = None, genuine: bool = True
    ) -> Record:
        """Until it was sent a genuine event of that type and has answered, or has failed to; with ``genuine=False`` any.

        Deliveries of the event of ``after`` are passed over, unless any will do.
        """
        deadline = time.monotonic() + timeout
        known = self._awaited.get(after or "") if genuine else None
        while True:
            left = max(0.0, deadline - time.monotonic())
            found = self._account.wait.delivery(event_type, left, after, genuine)
            after = found["id"]
            if found["endpoint_id"] == self.endpoint_id and found["event_id"] != known:
                self._awaited[after] = found["event_id"]
                return found

    def report_card(self, emulator: Emulator, events: Optional[Sequence[str]] = None) -> Record:
        """Tries it with what will happen in production."""
        return emulator.report_card(self.url, self.secret, events)

    def close(self) -> None:
        """Ends its subscription and its server; may be called twice."""
        server, self._server = self._server, None
        if server is None:
            return
        if _is_searched():
            # What check sends beside an event comes when the test may have ended.
            with contextlib.suppress(EmulatorError, ConnectionError):
                self._account.wait.idle(timeout=CLOSING_SECONDS)
        self._unsubscribe()
        server.close()

    def _unsubscribe(self) -> None:
        with contextlib.suppress(EmulatorError, ConnectionError):
            self._control("DELETE", f"/endpoints/{self.endpoint_id}")

    def _control(self, method: str, path: str, body: Any = None) -> Any:
        return self._account._http.control(method, path, body)


def _app_of(given: Callable[..., Any], secret: str) -> Callable[..., Any]:
    """The app that was given, or the one that the given function makes from the secret."""
    if not _is_factory(given):
        return given
    app = given(secret)
    if callable(app):
        return app
    if inspect.iscoroutine(app):
        app.close()
    raise TypeError(
        f"{getattr(given, '__name__', given)} answered {type(app).__name__} where a WSGI or ASGI app was expected. "
        "Return the app from it, as in `def make_app(secret): …; return app`."
    )


def _is_factory(given: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(given).parameters.values()
    except (TypeError, ValueError):
        return False
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in by_place and each.default is each.empty for each in parameters) == 1


# Seconds; Python's own half of one would be added to each test.
_LOOK_FOR_END = 0.02


def _serve(app: Callable[..., Any], listener: socket.socket) -> _AppServer:
    server = _AsgiServer(app, listener) if _is_asgi(app) else _WsgiServer(app, listener)
    threading.Thread(target=server.serve_forever, args=(_LOOK_FOR_END,), daemon=True).start()
    return server


def _is_asgi(app: Callable[..., Any]) -> bool:
    return any(asyncio.iscoroutinefunction(each) for each in (app, getattr(app, "__call__", None)))


class _AppServer(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True

    def __init__(self, listener: socket.socket, handler: Type[BaseHTTPRequestHandler]) -> None:
        """On a socket that listens already: what comes before the app is there waits for it."""
        super().__init__(listener.getsockname(), handler, bind_and_activate=False)  # type: ignore[arg-type]
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = self.server_address[:2]
        self.setup_environ()

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _QuietHandler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """A test's output is the test's."""


class _WsgiServer(_AppServer):
    def __init__(self, app: Callable[..., Any], listener: socket.socket) -> None:
        super().__init__(listener, _QuietHandler)
        self.set_app(app)


class _AsgiServer(_AppServer):
    """Runs the app on a loop of its own, as an ASGI server would: its lifespan first, then a task for each request."""

    def __init__(self, app: Callable[..., Awaitable[None]], listener: socket.socket) -> None:
        super().__init__(listener, _AsgiHandler)
        self.app = app
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self._lifespan = self._run(self._start())

    def close(self) -> None:
        super().close()
        if self._lifespan:
            self._run(self._lifespan())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def exchange(self, scope: Record, body: bytes) -> Tuple[int, List[Tuple[bytes, bytes]], bytes]:
        return self._run(self._exchange(scope, body))

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

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

        await self.app(scope, receive, send)
        return status, headers, b"".join(pieces)

    async def _start(self) -> Optional[Callable[[], Awaitable[None]]]:
        """Answers how to end the app's lifespan, ``None`` for an app that has none."""
        asked: asyncio.Queue[Record] = asyncio.Queue()
        answered: asyncio.Queue[Record] = asyncio.Queue()
        task = asyncio.ensure_future(self.app({"type": "lifespan", "asgi": _ASGI}, asked.get, answered.put))
        await asked.put({"type": "lifespan.startup"})
        first = asyncio.ensure_future(answered.get())
        await asyncio.wait([task, first], return_when=asyncio.FIRST_COMPLETED)
        if not first.done():
            first.cancel()
            task.exception()
            return None
        if first.result()["type"] == "lifespan.startup.failed":
            raise RuntimeError(f"The app did not start: {first.result().get('message', 'it did not say why')}")

        async def stop() -> None:
            await asked.put({"type": "lifespan.shutdown"})
            await asyncio.wait([task], timeout=10)

        return stop


_ASGI = {"version": "3.0", "spec_version": "2.3"}


class _AsgiHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _AsgiServer

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, headers, answer = self.server.exchange(self._scope(), body)
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in (b"content-length", b"connection", b"transfer-encoding"):
                self.send_header(name.decode("latin-1"), value.decode("latin-1"))
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _scope(self) -> Record:
        path, _, query = self.path.partition("?")
        return {
            "type": "http",
            "asgi": _ASGI,
            "http_version": "1.1",
            "method": self.command,
            "scheme": "http",
            "path": urllib.parse.unquote(path),
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self.headers.items()],
            "client": self.client_address[:2],
            "server": ("127.0.0.1", self.server.server_port),
        }


def _story(account: Account) -> str:
    """What an account did, for the reader of a failed test: requests, failed jobs, and what was sent to its endpoints."""
    lines = []
    for each in account.requests():
        cost = _counted(each["credits"] or 0, "credit")
        lines.append(f"{each['method']} {each['path']} -> {each['status']}, {cost} ({each['id']})")
        if each["status"] >= 400 and each["answer"]:
            lines.append(f"  got {each['answer'][:300]}")
    lines = lines or ["(none)"]
    failed = [each for each in account.jobs() if each.get("error")][-50:]
    if failed:
        lines.append(f"Failed jobs of {account.id}:")
    for each in failed:
        lines.append(f"  {each['id']} of {each['model']}: {each['error']['code']}: {each['error']['message']}")
    sent = account.deliveries()[-50:]
    if sent:
        lines.append(f"Deliveries to {account.id}:")
    for each in sent:
        end = each["error"] or each["response_status"] or each["status"]
        lines.append(f"  {each['type']} to {each['url']} -> {end} ({each['id']})")
    return "\n".join(lines)


class _Test:
    """A test that runs, and the accounts that were made for it."""

    def __init__(self, emulator: Emulator, item: Any) -> None:
        self.emulator = emulator
        self.accounts: List[Account] = []
        file, _, name = item.nodeid.partition("::")
        retry = getattr(item, "execution_count", 1) > 1
        source = str(getattr(item, "path", None) or item.fspath)  # pytest 6 has no path.
        self._named = {"name": name or file, "file": source, "line": (item.location[1] or 0) + 1, "retry": retry}

    def unit(self) -> Record:
        """What an order of an account says of its test, where a run asks for it."""
        if os.environ.get("SVC_UNITS") != "1" and not _is_searched():
            return {}
        return {"unit_id": self.accounts[0].unit_id} if self.accounts else {"unit": self._named}

    def place(self, excinfo: Any) -> str:
        """Where in its file it failed, as pytest writes it: ``test_shop.py:48: ``."""
        file = self._named["file"]
        lines = [entry.lineno + 1 for entry in excinfo.traceback if str(entry.path) == file]
        return f"{os.path.basename(file)}:{lines[-1]}: " if lines else ""

    def end(self, outcome: str, error: Optional[str] = None) -> None:
        unit_id = self.accounts[0].unit_id if self.accounts else None
        if unit_id is None:
            return
        with contextlib.suppress(EmulatorError, ConnectionError):
            end = {"outcome": outcome, **_present(error=error and error[:2000])}
            self.emulator.control("PATCH", f"/units/{unit_id}", end)


_SECRET_NAME = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)


def _trace(emulator: Emulator, account: Account, test: str) -> str:
    """Writes what the account of a failed test did: ``svc-traces/TEST.html``. Says where, or why not."""
    words = re.sub(r"\W+", "-", test).strip("-").encode()[:150].decode(errors="ignore") or "test"
    mark = hashlib.sha256(f"{test} {account.id}".encode()).hexdigest()[:6]
    file = os.path.join("svc-traces", f"{words}-{mark}.html")
    named = [(name, value) for name, value in os.environ.items() if _SECRET_NAME.search(name) and value]
    # One that is so short would be found everywhere: it is masked beside its name.
    secrets = [value if len(value) > 2 else name + "=" + value for name, value in named]
    order = {"account_id": account.id, "title": test[:200], "failure": "The test failed.", "secrets": secrets}
    try:
        page = emulator.control("POST", "/trace", order)
        _keep_trace(file, test, page.decode())
    except (EmulatorError, OSError) as error:
        return f"none was written: {error}"
    return file


_RECORD = re.compile(r'<script type="application/gzip" id="record">[^<]*</script>')
_PLACE = "<!--record-->"


def _keep_trace(file: str, title: str, page: str) -> None:
    """A small page with the record, one viewer for all traces of the folder beside it, and a list of them all.

    Everything opens from the disk, without a server; the fixtures for JavaScript write the same.
    """
    folder = os.path.dirname(file)
    os.makedirs(folder, exist_ok=True)
    record = _RECORD.search(page)
    empty = _RECORD.sub(_PLACE, page)
    viewer = f"viewer-{hashlib.sha256(empty.encode()).hexdigest()[:8]}.js"
    if not os.path.exists(os.path.join(folder, viewer)):
        _replace_file(
            os.path.join(folder, viewer),
            f"const page = {json.dumps(empty)};\n"
            "addEventListener('load', () => {\n"
            "  const record = document.getElementById('record').outerHTML;\n"
            "  document.open();\n"
            f"  document.write(page.replace('{_PLACE}', () => record));\n"
            "  document.close();\n"
            "});\n",
        )
    _replace_file(
        file,
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{html.escape(title)}</title></head>\n<body>\n'
        f"<p>This trace is drawn by {viewer}, which belongs beside this file: copy the whole folder.</p>\n"
        f'{record.group(0) if record else ""}\n<script src="{viewer}"></script>\n</body>\n</html>\n',
    )
    _replace_file(os.path.join(folder, "index.html"), _trace_index(folder))


def _trace_index(folder: str) -> str:
    items = []
    for path in sorted(Path(folder).glob("*.html"), key=lambda each: -each.stat().st_mtime):
        if path.name == "index.html":
            continue
        with path.open(encoding="utf-8", errors="replace") as page:
            title = re.search('<head><meta charset="utf-8"><title>([^<]*)</title>', page.read(4096))
        time_text = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
        name = html.escape(path.name) if title is None else title.group(1)
        items.append(f'<li><a href="{urllib.parse.quote(path.name)}">{name}</a> <time>{time_text}</time></li>')
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Traces · svc-emulator</title></head>\n'
        "<body>\n<h1>Traces</h1>\n<ul>\n" + "\n".join(items) + "\n</ul>\n</body>\n</html>\n"
    )


def _replace_file(file: str, text: str) -> None:
    """Whole or not at all: other processes read it, or write it too."""
    own = f"{file}.{os.getpid()}"
    with open(own, "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(own, file)


try:
    import pytest
except ImportError:  # Without pytest the client is a client.
    pytest = None  # type: ignore[assignment]

if pytest is not None:

    @pytest.fixture(scope="session")
    def emulator() -> Iterator[Emulator]:
        """One for all tests of a process; under ``svc-emulator exec`` the one that this has started."""
        with Emulator.find() as found:
            yield found

    @pytest.fixture(autouse=True)
    def _svc_test(request: Any) -> Iterator[None]:
        """Of a test that uses the emulator: accounts that it makes are its own."""
        limited = os.environ.get("SVC_TARGET") == "real" and _credit_limit() is not None
        if "emulator" not in request.fixturenames and not limited:
            yield
            return
        emulator = request.getfixturevalue("emulator")
        if not isinstance(emulator, Emulator):  # A suite may have a fixture of its own by that name.
            yield
            return
        request.node._svc_test = _Test(emulator, request.node)
        emulator._begin(request.node._svc_test)
        yield
        emulator._begin(None)

    @pytest.fixture
    def account(emulator: Emulator, request: Any) -> Account:
        """New for each test, and called as it: 1,000 credits on the studio plan. When the test fails, its requests are shown."""
        return emulator.account(request.node.name[:200], plan="studio", credits=1000)

    @pytest.fixture
    def inbox(emulator: Emulator) -> Inbox:
        """A receiver of webhooks, new for each test."""
        return emulator.inbox()

    @pytest.fixture
    def receiver(account: Account) -> Iterator[Callable[..., Receiver]]:
        """``receiver(app, events)`` serves a WSGI or ASGI app on a port of its own and subscribes it for ``account``.

        ``receiver(make_app, events)`` serves what ``make_app(secret)`` answers.
        """
        with contextlib.ExitStack() as open_ones:

            def serve(app: Callable[..., Any], events: Sequence[str], path: str = "/") -> Receiver:
                served = Receiver(account, app, events, path)
                open_ones.callback(served.close)
                return served

            yield serve

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
        """Below a failed test stand the requests of its account, and where its trace is."""
        outcome = yield
        report = outcome.get_result()
        test = getattr(item, "_svc_test", None)
        if test is None:
            return
        if report.when == "call" or not report.passed:
            error = call.excinfo and f"{test.place(call.excinfo)}{call.excinfo.exconly()}"
            test.end("passed" if hasattr(report, "wasxfail") else report.outcome, error if report.failed else None)
        if report.when == "call" and report.failed and not test.emulator.is_real:
            with contextlib.suppress(EmulatorError, ConnectionError):
                for account in test.accounts:
                    report.sections.append((f"Requests of {account.id}", _story(account)))
                if test.accounts and not _is_searched():
                    report.sections.append(("Trace", _trace(test.emulator, test.accounts[0], item.nodeid)))
