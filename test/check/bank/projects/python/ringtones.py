"""A shop for ringtones: a WSGI application with SQLite. A webhook brings the news, and whoever asks for a tone makes the
shop read its job."""

import hashlib
import hmac
import http.client
import json
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing

PRICE = 5
ATTEMPTS = 4
SCHEMA = """
CREATE TABLE IF NOT EXISTS customers (name TEXT PRIMARY KEY, credits INTEGER NOT NULL CHECK (credits >= 0));
CREATE TABLE IF NOT EXISTS tones (
    -- Also the seed of its song.
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customers,
    prompt TEXT NOT NULL,
    ordered REAL NOT NULL,
    -- sent: no response yet. rendering, ready, failed
    status TEXT NOT NULL DEFAULT 'sent',
    job TEXT,
    audio BLOB,
    error TEXT
);
CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY);
"""


class NoResponse(Exception):
    """Nobody knows whether the service did it."""


class ServiceError(Exception):
    def __init__(self, status, code, message, retry_after):
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


class Service:
    def __init__(self, base_url, api_key, timeout=15):
        self.base_url, self.api_key, self.timeout = base_url, api_key, timeout

    def read(self, path):
        return json.loads(self._patiently(self.base_url + path, repeat_lost=True))

    def file(self, url):
        return self._patiently(url, repeat_lost=True)

    def order(self, path, body):
        return json.loads(self._patiently(self.base_url + path, json.dumps(body).encode(), repeat_lost=False))

    def _patiently(self, url, body=None, repeat_lost=False):
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._send(url, body)
            except ServiceError as error:
                if attempt == ATTEMPTS or not (error.status == 429 or error.status >= 500):
                    raise
                time.sleep(error.retry_after)
            except NoResponse:
                if attempt == ATTEMPTS or not repeat_lost:
                    raise
                time.sleep(0.5 * attempt)

    def _send(self, url, body):
        headers = {"authorization": f"Bearer {self.api_key}", "content-type": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=self.timeout) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            with error:
                text = error.read()
            problem = json.loads(text)["error"] if text.startswith(b"{") else {"code": "unknown", "message": str(error)}
            retry_after = float(error.headers.get("retry-after", 1))
            raise ServiceError(error.code, problem["code"], problem["message"], retry_after) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoResponse(f"no response from {url}") from error


class Shop:
    """`patience` is the time in seconds after which an order without any trace at the service is given up."""

    def __init__(self, service, file, patience=60):
        self.service, self.file, self.patience = service, file, patience
        self.lock = threading.Lock()
        with closing(self._open()) as db:
            db.executescript(SCHEMA)

    def _open(self):
        db = sqlite3.connect(self.file, timeout=30, isolation_level=None)
        db.row_factory = sqlite3.Row
        return db

    def query(self, sql, *values):
        """Runs one statement and returns its rows, and the number of rows that it changed."""
        with closing(self._open()) as db:
            cursor = db.execute(sql, values)
            return cursor.fetchall(), cursor.rowcount

    def tone(self, number):
        rows, _ = self.query("SELECT * FROM tones WHERE id = ?", number)
        return rows[0] if rows else None

    def order(self, customer, prompt):
        """Takes the price and orders the tone. Returns its number, or None if the customer cannot pay."""
        _, paid = self.query(
            "UPDATE customers SET credits = credits - ? WHERE name = ? AND credits >= ?", PRICE, customer, PRICE
        )
        if paid == 0:
            return None
        rows, _ = self.query(
            "INSERT INTO tones (customer, prompt, ordered) VALUES (?, ?, ?) RETURNING id", customer, prompt, time.time()
        )
        number = rows[0]["id"]
        song = {"prompt": prompt, "seconds": 30, "n": 1, "seed": number, "instrumental": True}
        try:
            answer = self.service.order("/music/generations", song)
            self._accept(number, answer["data"][0]["id"])
        except ServiceError as error:
            self._fail(number, error.code)
            raise
        except NoResponse:
            pass  # `look` finds the song by its seed.
        return number

    def _accept(self, number, job):
        self.query("UPDATE tones SET status = 'rendering', job = ? WHERE id = ? AND status = 'sent'", job, number)

    def _fail(self, number, error):
        """Gives the price back, once."""
        rows, _ = self.query(
            "UPDATE tones SET status = 'failed', error = ? WHERE id = ? AND status IN ('sent', 'rendering') "
            "RETURNING customer",
            error,
            number,
        )
        for row in rows:
            self.query("UPDATE customers SET credits = credits + ? WHERE name = ?", PRICE, row["customer"])

    def look(self, number):
        """Finds out what became of a tone, and returns it."""
        with self.lock:
            tone = self.tone(number)
            if tone and tone["status"] == "sent":
                self._find(tone)
                tone = self.tone(number)
            if tone and tone["status"] == "rendering":
                self._settle(tone)
        return self.tone(number)

    def _find(self, tone):
        for outcome in ("succeeded", "failed"):
            events = self.service.read(f"/webhooks/samples?event=music.generation.{outcome}")["events"]
            for data in (event["data"] for event in events):
                if data.get("seed") == tone["id"]:
                    return self._accept(tone["id"], data["id"])
        if time.time() > tone["ordered"] + self.patience:
            self._fail(tone["id"], "no_response")

    def _settle(self, tone):
        job = self.service.read(f"/music/generations/{tone['job']}")
        if job["status"] == "failed":
            self._fail(tone["id"], job["error"]["code"])
        elif job["status"] == "succeeded":
            audio = self.service.file(job["result_url"])
            if audio[:3] != b"ID3":
                raise NoResponse("the file is no MP3")
            self.query("UPDATE tones SET status = 'ready', audio = ? WHERE id = ?", audio, tone["id"])

    def handle(self, event):
        """Handles an event once: it names a song, whose seed is the number of a tone."""
        _, added = self.query("INSERT OR IGNORE INTO events VALUES (?)", event["id"])
        if added and event["type"].startswith("music.generation."):
            number = event["data"]["seed"]
            if self.tone(number):
                self._accept(number, event["data"]["id"])


def is_genuine(header, body, secret):
    parts = [part.strip().split("=", 1) for part in header.split(",") if "=" in part]
    times = [value for key, value in parts if key == "t" and value.isdigit()]
    if not times or abs(time.time() - int(times[0])) > 300:
        return False
    proof = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(value.encode(), proof.encode()) for key, value in parts if key == "v1")


REASONS = {200: "OK", 202: "Accepted", 204: "No Content", 400: "Bad Request", 402: "Payment Required", 404: "Not Found"}


def make_app(shop, secret):
    """The WSGI application: `POST /tones`, `GET /tones/ID`, `GET /tones/ID.mp3`, `POST /events`."""

    def respond(method, path, body, header):
        if (method, path) == ("POST", "/events"):
            if not is_genuine(header, body, secret):
                return 400, {"error": "bad_signature"}
            shop.handle(json.loads(body))
            return 204, None
        if (method, path) == ("POST", "/tones"):
            order = json.loads(body)
            number = shop.order(order["customer"], order["prompt"])
            return (202, {"id": number}) if number else (402, {"error": "too_few_credits"})
        name, _, kind = path.removeprefix("/tones/").partition(".")
        tone = shop.look(int(name)) if path.startswith("/tones/") and name.isdigit() else None
        if tone is None or (kind == "mp3" and tone["audio"] is None):
            return 404, {"error": "not_found"}
        if kind == "mp3":
            return 200, tone["audio"]
        if tone["error"] == "no_response":
            return 502, {"status": "failed", "error": "The order was lost. You have your credits back."}
        return 200, {"status": tone["status"], "error": tone["error"]}

    def app(environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        header = environ.get("HTTP_SVC_SIGNATURE", "")
        try:
            status, answer = respond(environ["REQUEST_METHOD"], environ["PATH_INFO"], body, header)
        except (ServiceError, NoResponse) as error:
            status, answer = 503, {"error": str(error)}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode() if answer is not None else b""
        kind = "audio/mpeg" if isinstance(answer, bytes) else "application/json"
        reason = REASONS.get(status, "Error")
        start_response(f"{status} {reason}", [("content-type", kind), ("content-length", str(len(content)))])
        return [content]

    return app
