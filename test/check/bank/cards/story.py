"""Ben orders two cards, and looks until both are printed, or his credits are back."""

import json
import os
import time
import urllib.error
import urllib.request

SHOP = f"http://127.0.0.1:{os.environ['PORT']}"


def ask(path, body=None):
    """Asks the shop, again as long as it is away."""
    for _ in range(200):
        try:
            data = body and json.dumps(body).encode()
            with urllib.request.urlopen(urllib.request.Request(SHOP + path, data), timeout=5) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            time.sleep(0.05)
    raise SystemExit("The shop does not answer.")


for card, text in (("c1", "a red fox in the snow"), ("c2", "a harbour at dawn")):
    ask("/orders", {"id": card, "customer": "ben", "text": text})

deadline = time.monotonic() + 25
while True:
    state = ask("/state")
    if len(state["cards"]) == 2 and all(card["state"] in ("printed", "failed") for card in state["cards"]):
        break
    if time.monotonic() > deadline:
        raise SystemExit(f"The cards did not come, and neither did the credits: {state}")
    time.sleep(0.05)

printed = [card for card in state["cards"] if card["state"] == "printed"]
for card in printed:
    if card["printed"] != 1 or not card["sha"]:
        raise SystemExit(f"The card {card['id']} was printed {card['printed']} times, its picture is {card['sha']}.")
if len({card["sha"] for card in printed}) != len(printed):
    raise SystemExit("Two cards show the same picture.")
if state["balance"] != 24 - 12 * len(printed):
    raise SystemExit(f"Ben has {state['balance']} credits and {len(printed)} cards.")
