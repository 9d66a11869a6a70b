"""Drives the client against a real emulator, with nothing but the standard library."""
import asyncio
import json
import os
import threading
import unittest
import urllib.request

import svc_emulator
from svc_emulator import Emulator, EmulatorError, SignatureError, is_genuine, verify_signature

SONG = {"prompt": "a waltz for two", "seconds": 30, "n": 2}
# Both takes fail, and nothing is rendered.
FAILING = {**SONG, "prompt": "a waltz [[fail]]"}
CHAT = {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Is anybody there?"}]}


def setUpModule():
    emulator = Emulator.start()
    unittest.addModuleCleanup(emulator.stop)
    ClientTest.emulator = ReceiverTest.emulator = emulator


class ClientTest(unittest.TestCase):
    def test_opens_an_account_whose_chat_costs_a_credit(self):
        account = self.emulator.account("a chat", credits=60, plan="studio")
        with account.spending(credits=1, refunds=0) as spend:
            reply = account.call("POST", "/v1/chat/completions", CHAT)
        self.assertEqual(reply["usage"], {"credits_spent": 1, "credits_remaining": 59})
        self.assertEqual([entry["amount"] for entry in spend.entries], [-1])
        self.assertEqual([entry["type"] for entry in account.ledger()], ["charge", "top_up", "grant"])

    def test_lists_the_ledger_in_the_order_of_the_control_operation(self):
        account = self.emulator.account("many entries", credits=2000)
        for _ in range(3):
            account.call("POST", "/v1/chat/completions", CHAT)
        listed = self.emulator.call("GET", f"/_emulator/accounts/{account.id}/usage")["data"]
        self.assertEqual(account.ledger(), listed)
        self.assertEqual([entry["balance"] for entry in listed][0], 1997)
        with account.spending(credits=2) as spend:
            for _ in range(2):
                account.call("POST", "/v1/chat/completions", CHAT)
        self.assertEqual([entry["balance"] for entry in spend.entries], [1996, 1995])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_shares_no_connection_with_a_forked_process(self):
        of_parent, of_child = (self.emulator.account(credits=credits) for credits in (70, 80))
        balances = lambda account: {account.call("GET", "/v1/account")["credits"] for _ in range(20)}
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if balances(of_child) == {80} else 1)
            finally:
                os._exit(2)
        self.assertEqual(balances(of_parent), {70})
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_says_of_a_spend_that_is_not_as_wanted_what_moved(self):
        account = self.emulator.account()
        with self.assertRaisesRegex(AssertionError, r"Expected 2 credits, got 1 credit spent and 0 refunds:\n  charge -1"):
            with account.spending(credits=2):
                account.call("POST", "/v1/chat/completions", CHAT)

    def test_waits_for_a_song_of_which_one_take_fails_and_is_given_back(self):
        account = self.emulator.account(credits=100)
        with account.spending(credits=3, refunds=1):
            order = account.call("POST", "/v1/music/generations", {**SONG, "prompt": "a waltz [[fail:take=2]]"})
            jobs = [account.wait(f"job:{job['id']}") for job in order["data"]]
        self.assertEqual([job["status"] for job in jobs], ["succeeded", "failed"])

    def test_raises_the_error_of_the_service_with_its_code_and_field(self):
        account = self.emulator.account()
        with self.assertRaises(EmulatorError) as refused:
            account.call("POST", "/v1/music/generations", {**SONG, "seconds": 31})
        self.assertEqual((refused.exception.status, refused.exception.code, refused.exception.param),
                         (400, "invalid_request", "seconds"))
        self.assertEqual(len(account.ledger()), 1)

    def test_calls_any_operation_of_the_control_surface(self):
        account = self.emulator.account(credits=100)
        rule = {"match": {"account_id": account.id, "path": "/v1/chat"}, "effect": {"status": 503}}
        made = self.emulator.call("POST", "/_emulator/faults", rule)
        with self.assertRaises(EmulatorError) as refused:
            account.call("POST", "/v1/chat/completions", CHAT)
        self.assertEqual(refused.exception.status, 503)
        self.assertIsNone(self.emulator.call("DELETE", f"/_emulator/faults/{made['id']}"))
        self.assertEqual(account.call("POST", "/v1/chat/completions", CHAT)["usage"]["credits_spent"], 1)
        listed = self.emulator.call("GET", "/_emulator/requests", query={"account_id": account.id, "limit": 1})
        self.assertEqual([each["status"] for each in listed["data"]], [200])

    def test_says_which_takes_a_wait_that_is_over_left_rendering(self):
        account = self.emulator.account(credits=100)
        account.call("POST", "/v1/music/generations", {"prompt": "a waltz", "seconds": 240, "n": 1})
        with self.assertRaises(EmulatorError) as late:
            account.wait("idle", timeout=0)
        self.assertRegex(str(late.exception), r"take 1 job_\w+ is (rendering|waiting for a renderer) since 2\S+Z\.")
        # Later tests must not wait for the long render.
        self.emulator.call("POST", "/_emulator/reset")

    def test_returns_each_genuine_message_of_an_inbox_once(self):
        account, inbox = self.emulator.account(credits=100), self.emulator.inbox()
        self.subscribe(account, inbox.url, "music.generation.failed")
        account.call("POST", "/v1/music/generations", FAILING)
        first, second = inbox.wait(), inbox.wait()
        takes = [json.loads(each["body"])["data"]["take"] for each in (first, second)]
        self.assertEqual(sorted(takes), [1, 2])
        with self.assertRaises(EmulatorError) as late:
            inbox.wait(timeout=0)
        self.assertEqual(late.exception.code, "timeout")
        self.assertEqual([each["id"] for each in inbox.messages()], [first["id"], second["id"]])
        self.assertEqual(inbox.wait(after=first["id"])["id"], second["id"])

    def test_does_not_take_one_webhook_for_both_takes_of_a_song(self):
        account, inbox = self.emulator.account(credits=100), self.emulator.inbox()
        self.subscribe(account, inbox.url, "music.generation.failed")
        lost = {"match": {"account_id": account.id, "path": "/v1/music", "take": 2}, "effect": {"webhook": "drop"}}
        self.emulator.call("POST", "/_emulator/faults", lost)
        account.call("POST", "/v1/music/generations", FAILING)
        inbox.wait()
        account.wait("idle")
        self.assertEqual(sorted(each["fault"] or "" for each in account.deliveries()), ["", "drop"])
        with self.assertRaises(EmulatorError) as late:
            inbox.wait(timeout=0)
        self.assertEqual(late.exception.code, "timeout")

    def test_waits_in_an_inbox_for_the_genuine_message_or_for_any(self):
        account, inbox = self.emulator.account(credits=100), self.emulator.inbox()
        self.subscribe(account, inbox.url, "image.generation.succeeded")
        self.spoil(account, "forged")
        account.call("POST", "/v1/images/generations", {"prompt": "a lighthouse"})
        genuine, forged = inbox.wait(), inbox.wait(genuine=False)
        self.assertEqual([each["signature"]["verified"] for each in (forged, genuine)], [False, True])
        self.assertEqual([each["id"] for each in inbox.messages()], [forged["id"], genuine["id"]])
        with self.assertRaises(EmulatorError) as late:
            inbox.wait(timeout=0, after=genuine["id"])
        self.assertEqual(late.exception.code, "timeout")

    def test_waits_for_a_genuine_delivery_and_says_what_it_passes_by(self):
        account, inbox = self.emulator.account(credits=100), self.emulator.inbox()
        self.subscribe(account, inbox.url, "image.generation.succeeded")
        self.spoil(account, "old_timestamp")
        account.call("POST", "/v1/images/generations", {"prompt": "a lighthouse"})
        spoilt = account.wait("delivery:image.generation.succeeded", genuine=False)
        self.assertEqual(spoilt["fault"], "old_timestamp")
        with self.assertRaisesRegex(EmulatorError, r"not genuine \(old_timestamp\); genuine=false accepts it too"):
            account.wait("delivery:image.generation.succeeded", timeout=0)

    def subscribe(self, account, url, event):
        account.call("POST", "/v1/webhooks", {"url": url, "events": [event]})

    def spoil(self, account, how):
        rule = {"match": {"account_id": account.id, "path": "/v1/images"}, "effect": {"webhook": how}}
        self.emulator.call("POST", "/_emulator/faults", rule)

    def test_speaks_to_one_that_runs_and_says_when_none_does(self):
        running = Emulator.connect(self.emulator.url)
        self.assertEqual(running.call("GET", "/_emulator/health")["status"], "ok")
        with self.assertRaisesRegex(ConnectionError, "No emulator responds at http://127.0.0.1:9 "):
            Emulator.connect("http://127.0.0.1:9")

    def test_reaches_the_emulator_past_a_proxy(self):
        names = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy")
        before = {name: os.environ.get(name) for name in names}
        self.addCleanup(lambda: [os.environ.pop(n, None) if v is None else os.environ.update({n: v}) for n, v in before.items()])
        for name in names[:3]:
            os.environ[name] = "http://127.0.0.1:9"
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "example.com"
        Emulator.connect(self.emulator.url)
        with self.assertRaises(OSError):
            urllib.request.urlopen(f"{self.emulator.url}/_emulator/health", timeout=5)
        svc_emulator._reach_past_proxies()
        self.assertEqual(os.environ["NO_PROXY"], "example.com,127.0.0.1,localhost,::1")
        with urllib.request.urlopen(f"{self.emulator.url}/_emulator/health", timeout=5) as response:
            self.assertEqual(response.status, 200)

    def test_says_what_a_start_ended_with(self):
        with self.assertRaisesRegex(RuntimeError, r"did not start \(exit code 2\): .*--credits"):
            Emulator.start("--credits", "many")

    def test_starts_one_of_its_own_whose_clock_and_state_are_moved(self):
        with Emulator.start("--seed", "7") as emulator:
            account = emulator.account(credits=100)
            order = account.call("POST", "/v1/images/generations", {"prompt": "a pier", "response_format": "url"})
            path = order["data"][0]["url"][len(emulator.url):]
            emulator.call("POST", "/_emulator/snapshots", {"name": "one-picture"})
            emulator.call("POST", "/_emulator/clock/advance", {"seconds": 8 * 86_400})
            with self.assertRaises(EmulatorError) as refused:
                account.call("GET", path)
            self.assertEqual(refused.exception.code, "url_expired")
            emulator.call("POST", "/_emulator/snapshots/one-picture/restore")
            self.assertTrue(account.call("GET", path).startswith(b"\x89PNG"))


class ReceiverTest(unittest.TestCase):
    EVENTS = ["image.generation.succeeded"]

    def serve(self, make_app, account=None):
        account = account or self.emulator.account(credits=100)
        receiver = svc_emulator.Receiver(account, make_app, self.EVENTS, "/events")
        self.addCleanup(receiver.close)
        return account, receiver

    def deliver(self, account, receiver):
        account.call("POST", "/v1/images/generations", {"prompt": "a lighthouse"})
        return receiver.wait("image.generation.succeeded")

    def test_serves_a_wsgi_app_and_subscribes_it(self):
        taken = Handled()

        def app(environ, start_response):
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            status = taken.take(body, environ.get("HTTP_SVC_SIGNATURE"), environ["PATH_INFO"])
            start_response(status, [("content-type", "text/plain")])
            return [b""]

        account, receiver = self.serve(taken.made(app))
        self.assertEqual(self.deliver(account, receiver)["response_status"], 204)
        self.assertEqual(taken.paths, ["/events"])
        self.assertEqual(len(account._records("deliveries")), 1)
        tried = {"url": receiver.url, "secret": receiver.secret, "events": self.EVENTS}
        card = self.emulator.call("POST", "/_emulator/verify", tried)
        self.assertTrue(card["ok"], json.dumps(card, indent=1)[:2000])

    def test_serves_an_asgi_app_with_its_lifespan(self):
        taken, life = Handled(), []

        async def app(scope, receive, send):
            if scope["type"] == "lifespan":
                while True:
                    life.append((await receive())["type"])
                    await send({"type": life[-1] + ".complete"})
                    if life[-1] == "lifespan.shutdown":
                        return
            body = (await receive())["body"]
            headers = dict(scope["headers"])
            status = taken.take(body, headers.get(b"svc-signature", b"").decode(), scope["path"])
            await asyncio.sleep(0)
            await send({"type": "http.response.start", "status": int(status[:3]), "headers": []})
            await send({"type": "http.response.body", "body": b""})

        account, receiver = self.serve(taken.made(app))
        self.assertEqual(self.deliver(account, receiver)["response_status"], 204)
        self.assertEqual(taken.paths, ["/events"])
        receiver.close()
        self.assertEqual(life, ["lifespan.startup", "lifespan.shutdown"])

    def test_returns_each_genuine_delivery_once_before_or_after_a_spoilt_one(self):
        for fault in ("forged", "replayed", "duplicate"):
            with self.subTest(fault):
                account, receiver = self.serve(VerifyingApp)
                rule = {"match": {"account_id": account.id, "path": "/v1/images"}, "effect": {"webhook": fault}}
                self.emulator.call("POST", "/_emulator/faults", rule)
                taken = self.deliver(account, receiver)
                self.assertEqual((taken["response_status"], taken["fault"]), (204, None))
                account.wait("idle")
                answers = {each["fault"]: each["response_status"] for each in account._records("deliveries")}
                self.assertEqual(answers, {None: 204, fault: 204 if fault == "duplicate" else 400})
                with self.assertRaises(EmulatorError) as none:
                    receiver.wait("image.generation.succeeded", timeout=0)
                self.assertEqual(none.exception.code, "timeout")
                self.assertEqual(receiver.wait("image.generation.succeeded", genuine=False)["fault"], fault)

    def test_serves_the_app_that_a_factory_makes_from_the_secret(self):
        def with_a_default(secret, strict=True):
            return VerifyingApp(secret)

        def asgi(secret):
            async def app(scope, receive, send):
                if scope["type"] == "lifespan":
                    raise NotImplementedError
                fits = is_genuine((await receive())["body"], dict(scope["headers"])[b"svc-signature"].decode(), secret)
                await send({"type": "http.response.start", "status": 204 if fits else 400, "headers": []})
                await send({"type": "http.response.body", "body": b""})

            return app

        for factory in (VerifyingApp, with_a_default, asgi, lambda secret: VerifyingApp(secret)):
            with self.subTest(factory):
                account, receiver = self.serve(factory)
                self.assertEqual(self.deliver(account, receiver)["response_status"], 204)

    def test_leaves_no_subscription_where_the_factory_fails(self):
        def fails(secret):
            raise LookupError("no such setting")

        account = self.emulator.account(credits=100)
        with self.assertRaisesRegex(LookupError, "no such setting"):
            self.serve(fails, account)
        with self.assertRaisesRegex(TypeError, "returned NoneType; expected a WSGI or ASGI app"):
            self.serve(lambda secret: None, account)
        self.assertEqual(account.call("GET", "/v1/webhooks")["webhooks"], [])

    def test_is_not_subscribed_any_more_once_closed(self):
        account, receiver = self.serve(VerifyingApp)
        receiver.close()
        self.assertEqual(account.call("GET", "/v1/webhooks")["webhooks"], [])


class VerifyingApp:
    """A WSGI app that rejects events that are not genuine."""

    def __init__(self, secret):
        self.secret = secret

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        fits = is_genuine(body, environ.get("HTTP_SVC_SIGNATURE"), self.secret)
        start_response("204 No Content" if fits else "400 Bad Request", [])
        return []


class Handled:
    """The handler of a receiver, as users write it: verify, remember the event, respond."""

    def __init__(self):
        self.secret = ""
        self.paths, self.seen, self.lock = [], set(), threading.Lock()

    def made(self, app):
        """Returns a factory of the app that stores the secret of its deliveries."""
        def make_app(secret):
            self.secret = secret
            return app

        return make_app

    def take(self, body, header, path):
        try:
            verify_signature(body, header, self.secret)
        except ValueError:
            return "400 Bad Request"
        with self.lock:
            self.seen.add(json.loads(body)["id"])
            self.paths.append(path)
        return "204 No Content"


class SignatureTest(unittest.TestCase):
    def test_refuses_what_is_forged_altered_old_or_no_signature(self):
        import hashlib
        import hmac

        body, secret = b'{"id":"evt_1"}', "whsec_of_the_test"
        signed = hmac.new(secret.encode(), b"1000." + body, hashlib.sha256).hexdigest()
        self.assertIs(verify_signature(body, f"t=1000,v1={signed}", secret, now=1200), True)
        self.assertIs(is_genuine(body, f"t=1000,v1={'0' * 64},v1={signed},v2=x", secret, now=1200), True)
        for payload, header, reason in [
            (body, f"t=1000,v1={'0' * 64}", "No v1"),
            (body + b" ", f"t=1000,v1={signed}", "No v1"),
            (body, f"t=1000,v1={signed}é", "No v1"),
            (body, f"v1={signed}", 'reads "v1=.*" where t=<unix>,v1=<hex> was expected'),
            (body, f"t=soon,v1={signed}", 'reads "t=soon'),
            (body, None, "is missing. Pass its value"),
        ]:
            with self.assertRaisesRegex(SignatureError, reason):
                verify_signature(payload, header, secret, now=1200)
            self.assertIs(is_genuine(payload, header, secret, now=1200), False)
        with self.assertRaisesRegex(SignatureError, "301 s old; at most 300 s are accepted. Check the receiver's clock"):
            verify_signature(body, f"t=1000,v1={signed}", secret, now=1301)
        self.assertIs(is_genuine(body, f"t=1000,v1={signed}", secret, tolerance=301, now=1301), True)

    def test_says_of_a_body_that_was_parsed_where_the_raw_one_is(self):
        for check in (verify_signature, is_genuine):
            with self.assertRaisesRegex(TypeError, r"raw body as bytes, got dict. It is request.get_data\(\) in Flask"):
                check({"id": "evt_1"}, "t=1000,v1=00", "whsec_of_the_test")


if __name__ == "__main__":
    unittest.main()
