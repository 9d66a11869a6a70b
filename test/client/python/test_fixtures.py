"""Uses the fixtures as a suite does. python-client.test.ts checks the output of the test that fails."""
import json
import os
import urllib.request

CHAT = {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hi"}]}
SONG = {"prompt": "a waltz for two", "seconds": 30, "n": 1}


def test_gives_each_test_an_account_called_as_it(emulator, account):
    opened = emulator.call("GET", f"/_emulator/accounts/{account.id}")
    assert (opened["name"], opened["credits"], opened["plan"]) == (
        "test_gives_each_test_an_account_called_as_it", 1000, "studio")


def test_serves_an_app_for_the_account(account, receiver):
    seen = []

    def app(environ, start_response):
        seen.append(json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))["type"])
        start_response("204 No Content", [])
        return []

    served = receiver(lambda secret: app, ["music.generation.succeeded"])
    with account.spending(credits=3, refunds=0):
        account.call("POST", "/v1/music/generations", SONG)
        assert served.wait("music.generation.succeeded")["response_status"] == 204
    # Subscribing the receiver does not count as a request of the test.
    assert {each["path"] for each in account._records("requests")} == {"/v1/music/generations"}
    assert seen == ["music.generation.succeeded"]


def test_settles_at_once_what_is_not_polled(emulator, account):
    emulator.call("PUT", "/_emulator/clock", {"frozen": True})
    try:
        with account.spending(credits=3):
            song = account.call("POST", "/v1/music/generations", SONG)
        assert account.wait(f"job:{song['data'][0]['id']}", timeout=0)["status"] == "succeeded"
    finally:
        emulator.call("PUT", "/_emulator/clock", {"frozen": False})


def test_reaches_the_emulator_past_proxies(emulator):
    assert os.environ["no_proxy"].endswith("127.0.0.1,localhost,::1")


def test_reads_an_inbox_of_its_own(inbox):
    assert inbox.messages() == []


def test_shows_the_requests_of_one_that_fails(account):
    account.call("POST", "/v1/chat/completions", {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hi"}]})
    account.call("POST", "/v1/music/generations", {"prompt": "a waltz [[slow:600]] [[fail:lost]]", "seconds": 30, "n": 1})
    retry = {"authorization": f"Bearer {account.api_key}", "x-stainless-retry-count": "1"}
    urllib.request.urlopen(urllib.request.Request(f"{account.base_url}/account", headers=retry)).close()
    assert account.ledger() == []
