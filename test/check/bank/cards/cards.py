"""Greeting cards: a customer pays for a card, a picture is ordered for it, and the event of that picture prints the card.

Standard library only. What must survive the end of the process is in SQLite; the pictures are files.
"""

import hashlib
import hmac
import http.client
import json
import os
import sqlite3
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

BASE = urlsplit(os.environ["SVC_BASE_URL"])
KEY, PORT, FOLDER = (os.environ[name] for name in ("SVC_API_KEY", "PORT", "SVC_CHECK_DIR"))
PRICE = 12
EVENTS = ["image.generation.succeeded", "image.generation.failed"]

os.makedirs(FOLDER, exist_ok=True)
db = sqlite3.connect(os.path.join(FOLDER, "cards.db"), isolation_level=None, check_same_thread=False)
lock = threading.RLock()
db.execute("PRAGMA journal_mode = WAL")
db.executescript(
    """
    CREATE TABLE IF NOT EXISTS customers (name TEXT PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
    CREATE TABLE IF NOT EXISTS cards (id TEXT PRIMARY KEY, customer TEXT, text TEXT, state TEXT, seen INTEGER,
      url TEXT, refused INTEGER DEFAULT 0, printed INTEGER DEFAULT 0);
    CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, url TEXT, type TEXT);
    CREATE TABLE IF NOT EXISTS endpoint (one INTEGER PRIMARY KEY CHECK (one = 1), secret TEXT);
    INSERT OR IGNORE INTO customers VALUES ('ben', 24);
    """
)


def rows(sql, *values):
    with lock:
        return db.execute(sql, values).fetchall()


def change(sql, *values):
    with lock:
        return db.execute(sql, values).rowcount


class transaction:
    """All or nothing of some statements, one thread at a time."""

    def __enter__(self):
        lock.acquire()
        db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind, *_):
        db.execute("COMMIT" if kind is None else "ROLLBACK")
        lock.release()


def request(method, path, body=None, headers=None):
    """One request; raises OSError or HTTPException where its answer is lost or not whole."""
    connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=4)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, answer.headers, data
    finally:
        connection.close()


def call(method, path, body=None, lost=None):
    """A call of the service. What was refused before any work is sent again; `lost` says what a lost response means."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    for turn in range(8):
        try:
            status, heads, data = request(method, f"/v1{path}", body and json.dumps(body), headers)
            answer = json.loads(data) if data else {}
            if status < 500 and status != 429:
                return status, answer
            if answer.get("error", {}).get("code") == "render_failed":
                return status, answer
            time.sleep(float(heads.get("retry-after") or 0) + 0.03 * (turn + 1))
        except (OSError, http.client.HTTPException, ValueError):
            known = lost() if lost else None
            if known:
                return known
            time.sleep(0.04 * (turn + 1))
    return 0, {}


def ensure_endpoint():
    url = f"http://127.0.0.1:{PORT}/events"
    while not rows("SELECT secret FROM endpoint"):
        _, listed = call("GET", "/webhooks")
        # One whose secret was lost with its answer is of no use.
        for each in listed.get("webhooks", []):
            if each["url"] == url:
                call("DELETE", f"/webhooks/{each['id']}")
        status, made = call("POST", "/webhooks", {"url": url, "events": EVENTS}, lambda: (0, {}))
        if status == 201:
            change("INSERT OR REPLACE INTO endpoint VALUES (1, ?)", made["secret"])


def requests_made():
    """How many paid requests the account has made; None when the service does not say."""
    return call("GET", "/account")[1].get("usage_30d", {}).get("requests")


def take_order(card):
    """Debits the customer and opens the order; an order that is there already is answered again."""
    with transaction():
        if db.execute("SELECT 1 FROM cards WHERE id = ?", (card["id"],)).fetchone():
            return 200
        paid = db.execute(
            "UPDATE customers SET balance = balance - ? WHERE name = ? AND balance >= ?", (PRICE, card["customer"], PRICE)
        )
        if paid.rowcount == 0:
            return 402
        db.execute(
            "INSERT INTO cards (id, customer, text, state) VALUES (?, ?, ?, 'open')",
            (card["id"], card["customer"], card["text"]),
        )
    wake.set()
    return 201


def give_back(card):
    with transaction():
        closed = db.execute("UPDATE cards SET state = 'failed' WHERE id = ? AND state IN ('open', 'placing')", (card,))
        if closed.rowcount:
            db.execute(
                "UPDATE customers SET balance = balance + ? WHERE name = (SELECT customer FROM cards WHERE id = ?)",
                (PRICE, card),
            )


def is_unknown_failure():
    """Whether more pictures have failed than were answered as failed: the failure of an order whose answer was lost."""
    failures = rows("SELECT COUNT(*) FROM events WHERE type = ?", EVENTS[1])[0][0]
    return failures > rows("SELECT COUNT(*) FROM cards WHERE refused = 1")[0][0]


def adopt(card):
    """Waits for the event of an order whose answer was lost, and takes the picture that it names."""
    for _ in range(200):
        look_at_samples()
        unknown = rows(
            "SELECT url FROM events WHERE type = ? AND url NOT IN (SELECT url FROM cards WHERE url IS NOT NULL)", EVENTS[0]
        )
        if unknown:
            return keep(card, unknown[0][0])
        if is_unknown_failure():
            return refuse(card)
        time.sleep(0.05)
    return give_back(card)


def refuse(card):
    """The picture failed at the service, which has refunded it: so does the shop."""
    change("UPDATE cards SET refused = 1 WHERE id = ?", card)
    return give_back(card)


def place(card, text):
    """Orders one picture; an order that was under way when the process ended is looked for first."""
    state, seen = rows("SELECT state, seen FROM cards WHERE id = ?", card)[0]
    if state == "placing" and (requests_made() or 0) > seen:
        return adopt(card)
    seen = requests_made()
    if seen is None:
        return None
    change("UPDATE cards SET state = 'placing', seen = ? WHERE id = ?", seen, card)
    body = {"prompt": text, "store": True, "response_format": "url"}
    status, answer = call("POST", "/images/generations", body, lambda: (requests_made() or 0) > seen and (202, {}))
    if status == 200:
        return keep(card, answer["data"][0]["url"])
    if status == 202:
        return adopt(card)
    return refuse(card) if status == 502 else give_back(card)


def keep(card, url):
    """Fetches a picture whole, and keeps it; without its file a card is never printed."""
    data = download(url)
    if data is None:
        return None
    whole = os.path.join(FOLDER, f"{card}.png")
    with open(whole + ".part", "wb") as file:
        file.write(data)
    os.replace(whole + ".part", whole)
    change("UPDATE cards SET state = 'made', url = ? WHERE id = ? AND state = 'placing'", url, card)
    return print_cards()


def download(url):
    path = urlsplit(url).path + (f"?{urlsplit(url).query}" if urlsplit(url).query else "")
    for turn in range(8):
        try:
            status, heads, data = request("GET", path)
            if status == 200 and len(data) == int(heads["content-length"]):
                require_png(data)
                return data
            time.sleep(float(heads.get("retry-after") or 0) + 0.03 * (turn + 1))
        except (OSError, ValueError, http.client.HTTPException):
            time.sleep(0.04 * (turn + 1))
    return None


def require_png(data):
    """Raises ValueError unless the checksum of each chunk is right."""
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        end = at + 8 + size
        if data[end : end + 4] != zlib.crc32(data[at + 4 : end]).to_bytes(4, "big"):
            raise ValueError("The picture is damaged.")
        at = end + 4


def print_cards():
    """Prints each card whose picture is here and whose event has come, once."""
    with transaction():
        db.execute(
            "UPDATE cards SET printed = printed + 1, state = 'printed' WHERE state = 'made' AND EXISTS"
            " (SELECT 1 FROM events WHERE events.url = cards.url AND type = ?)",
            (EVENTS[0],),
        )


def note_event(event):
    if event["type"] not in EVENTS or event["id"].startswith("evt_sample_"):
        return
    change(
        "INSERT OR IGNORE INTO events (id, url, type) VALUES (?, ?, ?)",
        *(event["id"], event["data"].get("result_url"), event["type"]),
    )


def look_at_samples():
    """What has been sent of late, whether its delivery came or not."""
    for kind in EVENTS:
        for event in call("GET", f"/webhooks/samples?event={kind}")[1].get("events", []):
            note_event(event)


def work():
    """Places the orders that are open, one after the other, and looks for events that did not come by themselves."""
    ensure_endpoint()
    deadline = None
    while True:
        wake.wait(0.3)
        wake.clear()
        for card, text in rows("SELECT id, text FROM cards WHERE state IN ('open', 'placing') ORDER BY rowid"):
            place(card, text)
        if not rows("SELECT 1 FROM cards WHERE state = 'made'"):
            deadline = None
            continue
        deadline = deadline or time.monotonic() + 1
        if time.monotonic() > deadline:
            look_at_samples()
            print_cards()


def is_genuine(header, body):
    secret = rows("SELECT secret FROM endpoint")
    parts = [part.strip().partition("=") for part in (header or "").split(",")]
    stamp = next((value for name, _, value in parts if name == "t"), "")
    if not secret or not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
        return False
    wanted = hmac.new(secret[0][0].encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(wanted, value) for name, _, value in parts)


def state():
    """What a customer sees; `sha` is of the picture that is here."""
    cards = []
    for card, status, printed in rows("SELECT id, state, printed FROM cards ORDER BY rowid"):
        file = os.path.join(FOLDER, f"{card}.png")
        sha = None
        if os.path.exists(file):
            with open(file, "rb") as picture:
                sha = hashlib.sha256(picture.read()).hexdigest()[:16]
        cards.append({"id": card, "state": status, "printed": printed, "sha": sha})
    return {"balance": rows("SELECT balance FROM customers")[0][0], "cards": cards}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.answer(200, state())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/orders":
            return self.answer(take_order(json.loads(body)), {})
        if not is_genuine(self.headers.get("svc-signature"), body):
            return self.answer(400, {"error": "The signature does not fit."})
        note_event(json.loads(body))
        self.answer(204)
        wake.set()
        return print_cards()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


wake = threading.Event()
threading.Thread(target=work, daemon=True).start()
Server(("127.0.0.1", int(PORT)), Handler).serve_forever()
