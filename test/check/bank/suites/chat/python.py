"""The service behind the chat, by an author of Python who has no fixtures and no app."""

import json
import os
import unittest
import urllib.request

URL, KEY = os.environ["SVC_BASE_URL"], os.environ["SVC_API_KEY"]
ORDER = {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Good evening."}]}


def call(method, path, body=None):
    headers = {"authorization": "Bearer " + KEY, "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + "/v1" + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return response.status, json.load(response)


class Chat(unittest.TestCase):
    def test_answers(self):
        status, reply = call("POST", "/chat/completions", ORDER)
        self.assertEqual(status, 200)
        self.assertTrue(reply["choices"][0]["message"]["content"])

    def test_books_what_is_left(self):
        _, before = call("GET", "/account")
        _, reply = call("POST", "/chat/completions", ORDER)
        self.assertEqual(reply["usage"]["credits_remaining"], before["credits"] - 1)


if __name__ == "__main__":
    unittest.main()
