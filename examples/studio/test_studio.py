import pytest
from service import Rejected, Service
from studio import Studio

TEXT = "The light turns once every nine seconds."


@pytest.fixture
def studio(account):
    return Studio(Service(account.base_url, account.api_key, timeout=8), ":memory:", settle=2)


def test_a_narration_is_paid_once(studio, account):
    with account.spending(credits=3, refunds=0):
        audio = studio.narrate(TEXT)
        assert studio.narrate(TEXT) == audio
    assert len(audio) > 1000


def test_the_transcript_is_the_text(studio, account):
    with account.spending(credits=8, refunds=0):
        assert studio.write_down(TEXT) == TEXT
        assert studio.write_down(TEXT) == TEXT


def test_a_song_has_two_takes(studio, account):
    with account.spending(credits=6, refunds=0):
        takes = studio.finish_song(studio.order_song("a waltz for two"))
    assert [take["status"] for take in takes] == ["succeeded", "succeeded"]
    assert all(len(take["audio"]) > 1000 for take in takes)


def test_a_take_that_fails_is_not_paid(studio, account):
    with account.spending(credits=3, refunds=1):
        takes = studio.finish_song(studio.order_song("a waltz for two [[fail:take=2]]"))
    assert [take["status"] for take in takes] == ["succeeded", "failed"]
    assert takes[1]["error"] == "render_failed"


def test_a_busy_service_is_tried_again(studio, emulator, account):
    match = {"account_id": account.id, "path": "/v1/audio/speech"}
    emulator.call("POST", "/_emulator/faults", {"match": match, "effect": {"status": 429, "retry_after": 1}})
    with account.spending(credits=3, refunds=0):
        assert len(studio.narrate(TEXT)) > 1000


def test_a_song_without_credits_is_not_started(emulator):
    poor = emulator.account(credits=5)
    studio = Studio(Service(poor.base_url, poor.api_key), ":memory:")
    song = studio.order_song("a waltz for two")
    with pytest.raises(Rejected) as rejected:
        studio.finish_song(song)
    assert rejected.value.code == "insufficient_credits"
    assert [entry["type"] for entry in poor.ledger()] == ["grant"]
