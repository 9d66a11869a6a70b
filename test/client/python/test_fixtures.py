"""Uses the fixtures as a suite does; what it prints of a failure is looked at by whoever runs it."""
import json

import pytest

from svc_emulator import spends

CHAT = {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hi"}]}
SONG = {"prompt": "a waltz for two", "seconds": 30, "n": 1}


def test_gives_each_test_an_account_called_as_it(emulator, account):
    opened = emulator.control("GET", f"/accounts/{account.id}")
    assert (opened["name"], opened["credits"], opened["plan"]) == (
        "test_gives_each_test_an_account_called_as_it", 1000, "studio")


def test_serves_an_app_for_the_account(account, receiver):
    seen = []

    def app(environ, start_response):
        seen.append(json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))["type"])
        start_response("204 No Content", [])
        return []

    served = receiver(app, ["music.generation.succeeded"])
    with account.spending(credits=3, refunds=0):
        account.call("POST", "/v1/music/generations", SONG)
        assert served.wait("music.generation.succeeded")["response_status"] == 204
    # That it is served is no request of the test.
    assert {each["path"] for each in account.requests()} == {"/v1/music/generations"}
    assert seen == ["music.generation.succeeded"]


@spends(1, refunds=0)
def test_costs_what_it_says(account):
    assert account.call("POST", "/v1/chat/completions", CHAT)["usage"]["credits_spent"] == 1


def test_settles_at_once_what_is_not_polled(emulator, account):
    account.faults.add({"delayMs": 1}, accountId=account.id)
    account.faults.add({"stream": {"cutAfter": 2, "ttftMs": 1}})
    emulator.clock.freeze()
    try:
        with account.spending(credits=3):
            account.call("POST", "/v1/music/generations", SONG)
        assert account.jobs()[0]["status"] == "succeeded"
    finally:
        emulator.clock.unfreeze()


def test_refuses_spends_without_an_account():
    with pytest.raises(TypeError, match="takes account"):
        spends(1)(lambda: None)


def test_reads_an_inbox_of_its_own(inbox):
    assert inbox.messages() == []


def test_shows_the_requests_of_one_that_fails(account):
    account.call("POST", "/v1/chat/completions", {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hi"}]})
    assert account.balance() == 1000
