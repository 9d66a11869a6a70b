// Broken copies of the cards: each one bug as people write it, as a small difference from the correct file.
const LOST = 'lambda: (requests_made() or 0) > seen and (202, {})';
const WHOLE = 'if status == 200 and len(data) == int(heads["content-length"]):';
const UNCHECKED = ['                require_png(data)\n', ''];

export const BROKEN = {
  'orders again after a lost response': [[LOST, 'None']],
  'takes a lost response as a failure and refunds': [[LOST, 'lambda: (599, {})']],
  'orders again when it starts': [['if state == "placing" and (requests_made() or 0) > seen:', 'if False:']],
  'no signature check': [['if not is_genuine(self.headers.get("svc-signature"), body):', 'if False:']],
  'no age check': [[' or abs(time.time() - int(stamp)) > 300', '']],
  'reads one v1 only': [
    ['any(name == "v1" and hmac.compare_digest(wanted, value) for name, _, value in parts)', 'wanted == proof'],
    [
      '    wanted = hmac.new(',
      '    proof = next((value for name, _, value in parts if name == "v1"), "")\n    wanted = hmac.new(',
    ],
  ],
  'verifies re-serialised JSON': [
    ['b"." + body, hashlib', 'b"." + json.dumps(json.loads(body), separators=(",", ":")).encode(), hashlib'],
  ],
  'prints for each delivery': [
    ['url TEXT, type TEXT);', 'url TEXT, type TEXT, deliveries INTEGER DEFAULT 0);'],
    [
      '        note_event(json.loads(body))',
      '        note_event(json.loads(body))\n        change("UPDATE events SET deliveries = deliveries + 1 WHERE id = ?", json.loads(body)["id"])',
    ],
    [
      'SET printed = printed + 1,',
      'SET printed = MAX(1, (SELECT deliveries FROM events WHERE events.url = cards.url)),',
    ],
    ["WHERE state = 'made' AND EXISTS", "WHERE state IN ('made', 'printed') AND EXISTS"],
  ],
  'answers 410 to a failed picture': [
    [
      '        note_event(json.loads(body))',
      '        if json.loads(body)["type"] == EVENTS[1]:\n            return self.answer(410)\n        note_event(json.loads(body))',
    ],
  ],
  'waits for webhooks alone': [
    ['            look_at_samples()\n            print_cards()', '            print_cards()'],
  ],
  'a failed picture is never given back': [
    [
      '    change("UPDATE cards SET refused = 1 WHERE id = ?", card)\n    return give_back(card)',
      '    return change("UPDATE cards SET refused = 1, state = \'failed\' WHERE id = ?", card)',
    ],
  ],
  'takes 429 as final and keeps the money': [
    ['if status < 500 and status != 429:', 'if status < 500:'],
    [
      '    return refuse(card) if',
      '    if status == 429:\n        return change("UPDATE cards SET state = \'failed\' WHERE id = ?", card)\n    return refuse(card) if',
    ],
  ],
  'ignores Retry-After': [
    [
      'time.sleep(float(heads.get("retry-after") or 0) + 0.03 * (turn + 1))\n        except (OSError, http.client.HTTPException, ValueError)',
      'time.sleep(0.03)\n        except (OSError, http.client.HTTPException, ValueError)',
    ],
  ],
  'retries a 402': [['status != 429:', 'status not in (402, 429):']],
  'keeps half a file': [
    UNCHECKED,
    [WHOLE, 'if status == 200:'],
    ['        data = answer.read()', '        data = b"".join(iter(lambda: answer.read1(65536), b""))'],
  ],
  'keeps what an error says as the file': [UNCHECKED, [WHOLE, 'if data:']],
};

/** Copies that behave as the correct one does. */
export const REWRITTEN = {
  'other names': [
    [/\btake_order\b/g, 'accept'],
    [/\bgive_back\b/g, 'reimburse'],
    [/\badopt\b/g, 'find_lost'],
    [/\bkeep\(/g, 'store('],
    [/\bcall\(/g, 'ask_service('],
  ],
  'a slower handler': [
    ['        note_event(json.loads(body))', '        time.sleep(0.04)\n        note_event(json.loads(body))'],
  ],
};
