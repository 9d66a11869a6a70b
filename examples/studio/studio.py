"""A studio: narrates texts, writes down recordings, and orders songs in two takes. It keeps its books in SQLite."""

import json
import sqlite3
import time

from service import NoResponse, Rejected

SCHEMA = """
CREATE TABLE IF NOT EXISTS narrations (text TEXT PRIMARY KEY, audio BLOB NOT NULL, transcript TEXT);
CREATE TABLE IF NOT EXISTS songs (
    -- The seed of the first take; the second take has the next number. It finds the jobs of a song again.
    seed INTEGER PRIMARY KEY,
    prompt TEXT NOT NULL,
    -- new: not sent. sent: no response yet. ordered: charged.
    status TEXT NOT NULL DEFAULT 'new',
    requests_before INTEGER,
    credits_before INTEGER
);
CREATE TABLE IF NOT EXISTS takes (
    seed INTEGER PRIMARY KEY,
    job_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    audio BLOB,
    error TEXT
);
"""


class Studio:
    """Nothing is paid twice. That works because the studio has its account to itself, and sends one request at a time.

    `settle` is the longest time in seconds that the service works on a request after its client has gone.
    """

    def __init__(self, service, file, settle=60, patience=300):
        self.service = service
        self.settle = settle
        self.patience = patience
        self.db = sqlite3.connect(file, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.executescript(SCHEMA)

    def narrate(self, text):
        """Returns the MP3 of a text. The same text is paid only once.

        Speech has no job to look for. If the response is lost, NoResponse goes to the caller, who decides.
        """
        known = self.db.execute("SELECT audio FROM narrations WHERE text = ?", (text,)).fetchone()
        if known:
            return known["audio"]
        audio = self.service.order("/audio/speech", {"input": text, "voice": "aria"})
        self.db.execute("INSERT INTO narrations (text, audio) VALUES (?, ?)", (text, audio))
        return audio

    def write_down(self, text):
        """Returns what is heard in the narration of a text, which is narrated first if necessary."""
        audio = self.narrate(text)
        (transcript,) = self.db.execute("SELECT transcript FROM narrations WHERE text = ?", (text,)).fetchone()
        if transcript is None:
            transcript = json.loads(self.service.upload("/audio/transcriptions", "narration.mp3", audio))["text"]
            self.db.execute("UPDATE narrations SET transcript = ? WHERE text = ?", (transcript, text))
        return transcript

    def order_song(self, prompt):
        """Orders two takes of a song and returns the number of the song."""
        (last,) = self.db.execute("SELECT coalesce(max(seed), -1) FROM songs").fetchone()
        self.db.execute("INSERT INTO songs (seed, prompt) VALUES (?, ?)", (last + 2, prompt))
        return last + 2

    def finish_song(self, seed):
        """Waits until both takes are final. Returns them in order: `status`, and `audio` or `error`."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            self._advance(self.db.execute("SELECT * FROM songs WHERE seed = ?", (seed,)).fetchone())
            takes = self.takes(seed)
            if len(takes) == 2 and all(take["status"] in ("succeeded", "failed") for take in takes):
                return takes
            time.sleep(0.2)
        raise TimeoutError(f"song {seed} is not finished after {self.patience} s")

    def takes(self, seed):
        return self.db.execute("SELECT * FROM takes WHERE seed IN (?, ?) ORDER BY seed", (seed, seed + 1)).fetchall()

    def _advance(self, song):
        if song["status"] == "new":
            self._send(song)
        elif song["status"] == "sent":
            self._recover(song)
        elif len(self.takes(song["seed"])) < 2:
            self._find_takes(song)
        for take in self.takes(song["seed"]):
            if take["status"] not in ("succeeded", "failed"):
                self._look(take["job_id"])

    def _send(self, song):
        account = self.service.read("/account")
        self.db.execute(
            "UPDATE songs SET status = 'sent', requests_before = ?, credits_before = ? WHERE seed = ?",
            (account["usage_30d"]["requests"], account["credits"], song["seed"]),
        )
        order = {"prompt": song["prompt"], "seconds": 30, "n": 2, "seed": song["seed"]}
        try:
            answer = json.loads(self.service.order("/music/generations", order))
        except NoResponse:
            return
        except Rejected:
            self._set_status(song, "new")
            raise
        for job in answer["data"]:
            self._keep(job)
        self._set_status(song, "ordered")

    def _recover(self, song):
        """Finds out whether a song was charged although no response arrived."""
        time.sleep(self.settle)
        account = self.service.read("/account")
        is_charged = (
            account["usage_30d"]["requests"] > song["requests_before"] or account["credits"] < song["credits_before"]
        )
        self._set_status(song, "ordered" if is_charged else "new")

    def _find_takes(self, song):
        """Looks for the jobs of a song in the latest events of the account."""
        for outcome in ("succeeded", "failed"):
            for event in self.service.read(f"/webhooks/samples?event=music.generation.{outcome}")["events"]:
                if event["data"].get("seed") in (song["seed"], song["seed"] + 1):
                    self._look(event["data"]["id"])

    def _look(self, job_id):
        """Reads a job and keeps its file. The URL of a job that was just read has not expired."""
        job = self.service.read(f"/music/generations/{job_id}")
        audio = None
        if job["status"] == "succeeded":
            try:
                audio = self.service.file(job["result_url"])
            except Rejected as error:
                if error.code != "url_expired":
                    raise
                audio = self.service.file(self.service.read(f"/music/generations/{job_id}")["result_url"])
        self._keep(job, audio)

    def _keep(self, job, audio=None):
        error = job["error"]["code"] if job["status"] == "failed" else None
        self.db.execute(
            "INSERT OR REPLACE INTO takes (seed, job_id, status, audio, error) VALUES (?, ?, ?, ?, ?)",
            (job["seed"], job["id"], job["status"], audio, error),
        )

    def _set_status(self, song, status):
        self.db.execute("UPDATE songs SET status = ? WHERE seed = ?", (status, song["seed"]))
