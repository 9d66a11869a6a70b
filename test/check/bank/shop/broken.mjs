// Broken copies of the shop: each one bug as people write it, as a small difference from the correct file.
/** It looks whether the user can pay, counts what was asked for so far, and takes the credits when it has. */
const COUNTS_BEFORE_DEBIT = [
  // Ann clicks again after 0.8 s: what is asked again is waited for longer, so that she comes in between on any machine.
  ['sleep(answer.again + 20 * turn)', 'sleep(2 * answer.again)'],
  [' CHECK (balance >= 0)', ''],
  [
    'const takeOrder = db.transaction(({ idem, user, prompt }) => {',
    'let counting;\nconst takeOrder = async ({ idem, user, prompt }) => {',
  ],
  [
    "  const paid = run('UPDATE users SET balance = balance - ? WHERE name = ? AND balance >= ?', PRICE, user, PRICE);\n  if (paid.changes === 0) return",
    "  if (one('SELECT balance FROM users WHERE name = ?', user).balance < PRICE) return",
  ],
  [
    '  const { lastInsertRowid: id } = run(\n    "INSERT INTO orders',
    "  await (counting ??= requestsMade().finally(() => (counting = undefined)));\n  run('UPDATE users SET balance = balance - ? WHERE name = ?', PRICE, user);\n  const { lastInsertRowid: id } = run(\n    \"INSERT INTO orders",
  ],
  ['  return [201, { id: Number(id) }];\n});', '  return [201, { id: Number(id) }];\n};'],
  ['takeOrder.immediate(', 'await takeOrder('],
  ['function answer(request, body) {', 'async function answer(request, body) {'],
  ['const [status, body] = answer(', 'const [status, body] = await answer('],
];

export const BROKEN = {
  'orders again after a lost response': [
    ['return (await requestsMade()) > before ? { status: 202 } : undefined;', 'return undefined;'],
  ],
  'takes a lost response as a failure and refunds': [
    ['return (await requestsMade()) > before ? { status: 202 } : undefined;', 'return { status: 0 };'],
  ],
  'orders again when it starts': [["order.state === 'placing' && (await requestsMade()) > order.seen", 'false']],
  'overdraws the user between check and debit': [
    ...COUNTS_BEFORE_DEBIT,
    // Who clicks twice meanwhile is told the same.
    [
      'let counting;\nconst takeOrder = async ({',
      'const taking = new Map();\nconst takeOrder = (order) => taking.get(order.idem) ?? taking.set(order.idem, take(order)).get(order.idem);\nlet counting;\nconst take = async ({',
    ],
  ],
  'a double click makes two orders': [...COUNTS_BEFORE_DEBIT, ['idem TEXT UNIQUE', 'idem TEXT']],
  'the last event decides the order': [
    [
      "SET state = 'failed' WHERE order_id = ? AND take = ? AND state = 'open'\",\n    order.id,\n    take,",
      "SET state = 'failed' WHERE order_id = ? AND state = 'open'\",\n    order.id,",
    ],
    [
      "if (changes > 0) run('UPDATE users SET balance = balance + ? WHERE name = ?', PRICE / TAKES, order.user);",
      "run('UPDATE users SET balance = balance + ? WHERE name = ?', (PRICE / TAKES) * changes, order.user);",
    ],
    ['const failTake = db.transaction((order, take) => {', 'const failTake = db.transaction((order) => {'],
  ],
  'takes swapped': [
    [
      '  if (known) return { order',
      '  const open = known && one("SELECT take FROM takes WHERE order_id = ? AND state = \'open\' ORDER BY take", known.order_id);\n  if (open) known.take = open.take;\n  if (known) return { order',
    ],
  ],
  'ignores Retry-After': [["again: Number(headers.get('retry-after') ?? 0) * 1000 + 30", 'again: 30']],
  'takes 503 as accepted': [
    ['if (status === 429', 'if (status === 503) return { status: 202 };\n  if (status === 429'],
  ],
  'takes 429 as final and keeps the money': [
    ['if (status === 429 || status >= 500)', 'if (status >= 500)'],
    [
      "run('UPDATE users SET balance = balance + ? WHERE name = ?', (PRICE / TAKES) * count, order.user);",
      'void count;',
    ],
  ],
  'retries a 402': [['if (status === 429 ||', 'if (status === 402 || status === 429 ||']],
  'refunds a failed take each time it is told': [
    [
      "SET state = 'failed' WHERE order_id = ? AND take = ? AND state = 'open'\"",
      "SET state = 'failed' WHERE order_id = ? AND take = ?\"",
    ],
  ],
  'one failed take refunds both': [
    [
      "if (changes > 0) run('UPDATE users SET balance = balance + ? WHERE name = ?', PRICE / TAKES, order.user);",
      "if (changes > 0) run('UPDATE users SET balance = balance + ? WHERE name = ?', PRICE, order.user);",
    ],
  ],
  'ignores refunds of an order that was half delivered': [
    [
      '  if (changes > 0) run(',
      '  if (changes > 0 && !one("SELECT 1 FROM takes WHERE order_id = ? AND state = \'delivered\'", order.id)) run(',
    ],
  ],
  'keeps work in memory after its 2xx': [
    [
      "    run('INSERT OR IGNORE INTO events (id, body) VALUES (?, ?)', event.id, body.toString());",
      "    setTimeout(() => {\n      run('INSERT OR IGNORE INTO events (id, body) VALUES (?, ?)', event.id, body.toString());\n      stir();\n    }, 80);",
    ],
    ['if (idle > 0) await pollTakes();', ''],
  ],
  'counts events instead of takes': [
    // A disk that takes its time: what is counted too early is seen by who looks now and then.
    ['const bytes = await download(job);', 'await sleep(300);\n  const bytes = await download(job);'],
    [
      "run('INSERT OR IGNORE INTO events (id, body) VALUES (?, ?)', event.id, body.toString());",
      "run('INSERT INTO events (id, body) VALUES (?, ?)', event.id + Math.random(), body.toString());",
    ],
    [
      "done: takes.every(({ state }) => state !== 'open'),",
      "done: one('SELECT count(*) n FROM events WHERE done = 1').n >= TAKES,",
    ],
  ],
  'marks seen before the work is done': [
    [
      "if (await finish(data, type.endsWith('.failed'))) run('UPDATE events SET done = 1 WHERE id = ?', id);",
      "run('UPDATE events SET done = 1 WHERE id = ?', id);\n    await finish(data, type.endsWith('.failed'));",
    ],
    ['if (idle > 0) await', "if (idle > 0 && one('SELECT count(*) n FROM events').n < TAKES) await"],
  ],
  'works before it answers': [
    // Longer than a sender waits: what the shop waits for itself is not to end just then.
    [
      'body: body && JSON.stringify(body),\n    signal: AbortSignal.timeout(5000)',
      'body: body && JSON.stringify(body),\n    signal: AbortSignal.timeout(7000)',
    ],
    ['function takeEvent(', 'async function takeEvent('],
    ['const [status, body] = answer(', 'const [status, body] = await answer('],
    [
      '  stir();\n  return [204];',
      "  stir();\n  while (isOpen && one('SELECT 1 FROM events WHERE id = ? AND done = 0', event.id)) await sleep(10);\n  return [204];",
    ],
  ],
  'a poll gives up and refunds, and delivers later': [
    [
      "    if (body?.status === 'succeeded' || body?.status === 'failed') await",
      "    if (/queued|processing/.test(body?.status)) run('UPDATE users SET balance = balance + ?', PRICE / TAKES);\n    if (body?.status === 'succeeded' || body?.status === 'failed') await",
    ],
  ],
  'a failed job never refunds the user': [
    [
      "if (changes > 0) run('UPDATE users SET balance = balance + ? WHERE name = ?', PRICE / TAKES, order.user);",
      'void changes;',
    ],
  ],
  'waits for webhooks alone': [['if (idle > 0) await pollTakes();', '']],
  'no signature check': [['return fits && Math.abs', 'return Math.abs']],
  'no age check': [['return fits && Math.abs(Date.now() / 1000 - Number(t)) <= 300;', 'return fits;']],
  'verifies re-serialised JSON': [['.update(body).digest()', '.update(JSON.stringify(JSON.parse(body))).digest()']],
  'reads one v1 only': [[".filter(([name]) => name === 'v1')", ".filter(([name]) => name === 'v1').slice(0, 1)"]],
  'answers 410 to a failed take': [
    ['  stir();\n  return [204];', "  stir();\n  return [event.type.endsWith('.failed') ? 410 : 204];"],
  ],
  'keeps an expired URL': [['if (response.status === 403)', 'if (response.status === 999)']],
  'keeps what an error says as the file': [
    [
      "if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;",
      'return bytes;',
    ],
  ],
  'keeps half a file': [
    ['const bytes = Buffer.from(await response.arrayBuffer());', 'const bytes = await whatComes(response);'],
    [
      "if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;",
      'if (response.ok) return bytes;',
    ],
    [
      '/** Which take a job is,',
      'async function whatComes(response) {\n  const chunks = [];\n  try {\n    for await (const chunk of response.body) chunks.push(chunk);\n  } catch {}\n  return Buffer.concat(chunks);\n}\n\n/** Which take a job is,',
    ],
  ],
  'takes the 500 of a poll for a failed job': [
    [
      "if (body?.status === 'succeeded' || body?.status === 'failed') await finish(body, body.status === 'failed');",
      "if (body?.status !== 'processing' && body?.status !== 'queued') await finish(body ?? { id: job }, body?.status !== 'succeeded');",
    ],
    [
      'if (status === 429 || status >= 500)',
      "if (status === 500 && method === 'GET') return { status };\n  if (status === 429 || status >= 500)",
    ],
  ],
};

/** Copies that behave as the correct one does. */
export const REWRITTEN = {
  'other names': [
    [/\bplace\(/g, 'putThrough('],
    [/\bknow\(/g, 'rememberJob('],
    [/\bdeliverTake\b/g, 'handOut'],
    [/\bfailTake\b/g, 'giveBack'],
    [/\btakeOf\b/g, 'ownerOf'],
    [/\bfinish\b/g, 'settle'],
    [/\bworkEvents\b/g, 'readMail'],
    [/\bpollTakes\b/g, 'lookAround'],
    [/\brequestsMade\b/g, 'countOfRequests'],
    [/\bstir\b/g, 'nudge'],
    [/\b(FROM|INTO|UPDATE|EXISTS) events\b/g, '$1 mailbox'],
    [/\b(FROM|JOIN|UPDATE|INTO|EXISTS) takes\b/g, '$1 tracks'],
  ],
  'a slower handler': [['const [status, body] = answer(', 'await sleep(40);\n  const [status, body] = answer(']],
};
