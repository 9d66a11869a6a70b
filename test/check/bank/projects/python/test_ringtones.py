import json
import time
import urllib.error
import urllib.request

import pytest
from ringtones import Service, ServiceError, Shop, make_app

EVENTS = ["music.generation.succeeded", "music.generation.failed"]


class Browser:
    def __init__(self, url):
        self.url = url

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, data, method=method)) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def buy(self, customer, prompt):
        status, answer = self.send("POST", "/tones", {"customer": customer, "prompt": prompt})
        return status, json.loads(answer).get("id")

    def final(self, number):
        """Asks for a tone until it is final, or until the shop gives up."""
        end = time.monotonic() + 40
        while time.monotonic() < end:
            status, answer = self.send("GET", f"/tones/{number}")
            tone = json.loads(answer)
            if tone.get("status") in ("ready", "failed"):
                assert status == 200, f"{status}: {tone['error']}"
                return tone
            time.sleep(0.1)
        raise AssertionError(f"tone {number} is not final")


@pytest.fixture
def shop(account, tmp_path):
    opened = Shop(Service(account.base_url, account.api_key, timeout=5), str(tmp_path / "tones.db"), patience=6)
    opened.query("INSERT INTO customers VALUES ('ada', 12), ('bob', 4)")
    return opened


@pytest.fixture
def browser(shop, receiver):
    served = receiver(lambda secret: make_app(shop, secret), EVENTS, "/events")
    return Browser(served.url.removesuffix("/events"))


def credits(shop, name):
    rows, _ = shop.query("SELECT credits FROM customers WHERE name = ?", name)
    return rows[0]["credits"]


def test_a_tone_is_sold(browser, shop, account):
    with account.spending(credits=3, refunds=0):
        status, number = browser.buy("ada", "a foghorn")
        assert status == 202
        assert browser.final(number) == {"status": "ready", "error": None}
    status, audio = browser.send("GET", f"/tones/{number}.mp3")
    assert status == 200
    assert len(audio) > 10_000
    assert credits(shop, "ada") == 7


def test_a_tone_that_fails_is_given_back_once(browser, shop, account):
    with account.spending(credits=0, refunds=1):
        _, number = browser.buy("ada", "a foghorn [[fail]]")
        assert browser.final(number) == {"status": "failed", "error": "render_failed"}
    account.wait("idle")
    assert credits(shop, "ada") == 12


def test_two_tones_are_two_files(browser, account):
    with account.spending(credits=6, refunds=0):
        numbers = [browser.buy("ada", prompt)[1] for prompt in ("a bell", "a whistle")]
        assert [browser.final(number)["status"] for number in numbers] == ["ready", "ready"]
    files = [browser.send("GET", f"/tones/{number}.mp3")[1] for number in numbers]
    assert files[0] != files[1]


def test_a_customer_without_credits_gets_402(browser, shop, account):
    assert browser.buy("bob", "a foghorn")[0] == 402
    assert credits(shop, "bob") == 4
    assert "charge" not in [entry["type"] for entry in account.ledger()]


def test_a_shop_without_credits_keeps_nothing(emulator, tmp_path):
    poor = emulator.account(credits=2)
    shop = Shop(Service(poor.base_url, poor.api_key), str(tmp_path / "poor.db"))
    shop.query("INSERT INTO customers VALUES ('ada', 12)")
    with pytest.raises(ServiceError) as refused:
        shop.order("ada", "a foghorn")
    assert refused.value.code == "insufficient_credits"
    assert credits(shop, "ada") == 12


def test_a_forged_event_is_rejected(browser):
    event = {"id": "evt_1", "type": EVENTS[0], "data": {"id": "job_1", "seed": 1}}
    assert browser.send("POST", "/events", event)[0] == 400
