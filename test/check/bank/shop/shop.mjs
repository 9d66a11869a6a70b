// A shop that sells songs: it takes an order, has two takes made, and hands out the files. Webhooks first, polling as a fallback.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from '../plain-fetch.mjs';

// A process of its own has its settings from the environment; who imports it many times gives each its own.
const settings = { ...process.env, ...Object.fromEntries(new URL(import.meta.url).searchParams) };
const { SVC_BASE_URL: base, SVC_API_KEY: key, PORT: port, SVC_CHECK_DIR: folder } = settings;
const PRICE = 6;
const TAKES = 2;
const songs = path.join(folder, 'songs');
mkdirSync(songs, { recursive: true });

const Database = process.getBuiltinModule('node:sqlite')?.DatabaseSync ?? (await import('better-sqlite3')).default;
const db = new Database(path.join(folder, 'shop.db'));
// Node's SQLite waits for no other connection until it is asked to, and has no transactions of functions.
db.transaction ??= (work) => {
  const between = (begin, ...values) => {
    db.exec(begin);
    try {
      const done = work(...values);
      db.exec('COMMIT');
      return done;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  };
  return Object.assign((...values) => between('BEGIN', ...values), {
    immediate: (...values) => between('BEGIN IMMEDIATE', ...values),
  });
};
db.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
  CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, idem TEXT UNIQUE, user TEXT, prompt TEXT, state TEXT, seen INTEGER);
  CREATE TABLE IF NOT EXISTS takes (order_id INTEGER, take INTEGER, job TEXT, state TEXT, file TEXT, PRIMARY KEY (order_id, take));
  CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, body TEXT, done INTEGER DEFAULT 0);
  CREATE TABLE IF NOT EXISTS endpoint (one INTEGER PRIMARY KEY CHECK (one = 1), secret TEXT);
  INSERT OR IGNORE INTO users VALUES ('ann', 10);
`);
const statements = new Map();
const prepared = (sql) => statements.get(sql) ?? statements.set(sql, db.prepare(sql)).get(sql);
const one = (sql, ...values) => prepared(sql).get(...values);
const all = (sql, ...values) => prepared(sql).all(...values);
const run = (sql, ...values) => prepared(sql).run(...values);

/** One request. Throws where its answer is lost. */
async function askOnce(method, url, body) {
  const response = await fetch(`${base}/v1${url}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
  const text = await response.text();
  const { status, headers } = response;
  if (status === 429 || status >= 500) return { status, again: Number(headers.get('retry-after') ?? 0) * 1000 + 30 };
  return { status, body: status < 400 && text ? JSON.parse(text) : undefined };
}

/** What was refused before any work is asked again; what a lost response means is told by `lost`. */
async function ask(method, url, body, lost = () => undefined) {
  for (let turn = 0; turn < 7; turn += 1) {
    try {
      const answer = await askOnce(method, url, body);
      if (answer.again === undefined) return answer;
      await sleep(answer.again + 20 * turn);
    } catch (error) {
      const known = await lost(error);
      if (known) return known;
      await sleep(40 * (turn + 1));
    }
  }
  return { status: 0 };
}

async function ensureEndpoint() {
  const url = `http://127.0.0.1:${port}/events`;
  while (!one('SELECT secret FROM endpoint')) {
    const listed = await ask('GET', '/webhooks');
    // One whose secret was lost with its answer is of no use.
    for (const each of listed.body?.webhooks ?? []) if (each.url === url) await ask('DELETE', `/webhooks/${each.id}`);
    const events = ['music.generation.succeeded', 'music.generation.failed'];
    const made = await ask('POST', '/webhooks', { url, events }, () => ({ status: 0 }));
    if (made.status === 201) run('INSERT OR REPLACE INTO endpoint VALUES (1, ?)', made.body.secret);
  }
}

/** How much this account has asked for in all: tells whether an order whose answer was lost was taken. */
async function requestsMade() {
  return (await ask('GET', '/account')).body?.usage_30d?.requests;
}

const seedOf = (order) => 5000 + order.id * 10;

async function place(order) {
  if (order.state === 'new') {
    const seen = await requestsMade();
    if (seen === undefined) return refund(order, TAKES);
    run("UPDATE orders SET state = 'placing', seen = ? WHERE id = ?", seen, order.id);
  } else if (order.state === 'placing' && (await requestsMade()) > order.seen) {
    run("UPDATE orders SET state = 'placed' WHERE id = ?", order.id);
    return;
  }
  const wanted = { model: 'svc-music-one', prompt: order.prompt, seconds: 30, n: TAKES, seed: seedOf(order) };
  const before = one('SELECT seen FROM orders WHERE id = ?', order.id).seen;
  const answer = await ask('POST', '/music/generations', wanted, async () => {
    return (await requestsMade()) > before ? { status: 202 } : undefined;
  });
  if (answer.status !== 202) return refund(order, TAKES);
  db.transaction(() => {
    for (const job of answer.body?.data ?? []) know(order.id, job.take, job.id);
    run("UPDATE orders SET state = 'placed' WHERE id = ?", order.id);
  })();
}

function know(order, take, job) {
  run('UPDATE takes SET job = ? WHERE order_id = ? AND take = ? AND job IS NULL', job, order, take);
}

const refund = db.transaction((order, count) => {
  const { changes } = run("UPDATE orders SET state = 'refused' WHERE id = ? AND state IN ('new', 'placing')", order.id);
  if (changes === 0) return;
  run("UPDATE takes SET state = 'failed' WHERE order_id = ?", order.id);
  run('UPDATE users SET balance = balance + ? WHERE name = ?', (PRICE / TAKES) * count, order.user);
});

const failTake = db.transaction((order, take) => {
  const { changes } = run(
    "UPDATE takes SET state = 'failed' WHERE order_id = ? AND take = ? AND state = 'open'",
    order.id,
    take,
  );
  if (changes > 0) run('UPDATE users SET balance = balance + ? WHERE name = ?', PRICE / TAKES, order.user);
});

async function deliverTake(order, take, job) {
  const open = one("SELECT 1 FROM takes WHERE order_id = ? AND take = ? AND state = 'open'", order.id, take);
  if (!open) return;
  const name = `${order.id}-${take}.mp3`;
  const bytes = await download(job);
  if (!bytes) return;
  writeFileSync(path.join(songs, `${name}.part`), bytes);
  renameSync(path.join(songs, `${name}.part`), path.join(songs, name));
  run("UPDATE takes SET state = 'delivered', file = ? WHERE order_id = ? AND take = ?", name, order.id, take);
}

/** The whole file, or nothing. A URL that has expired is requested again. */
async function download(job) {
  let url = job.result_url;
  for (let turn = 0; turn < 6; turn += 1) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;
      if (response.status === 403) url = (await ask('GET', `/music/generations/${job.id}`)).body?.result_url ?? url;
      const asked = Number(response.headers.get('retry-after') ?? 0);
      if (asked > 0) await sleep(asked * 1000 + 30);
    } catch {
      await sleep(30);
    }
  }
  return undefined;
}

/** Which take a job is, by its id, or, where the answer to its order was lost, by the seed that was chosen for it. */
function takeOf({ id, seed }) {
  const known = one('SELECT order_id, take FROM takes WHERE job = ?', id);
  if (known) return { order: one('SELECT * FROM orders WHERE id = ?', known.order_id), take: known.take };
  for (const order of all("SELECT * FROM orders WHERE state = 'placed'")) {
    const take = seed - seedOf(order) + 1;
    const row = one('SELECT job FROM takes WHERE order_id = ? AND take = ?', order.id, take);
    if (!row || row.job !== null) continue;
    know(order.id, take, id);
    return { order, take };
  }
  return undefined;
}

async function finish(job, failed) {
  const found = takeOf(job);
  if (!found) return false;
  if (failed) failTake(found.order, found.take);
  else await deliverTake(found.order, found.take, job);
  return true;
}

async function workEvents() {
  for (const { id, body } of all('SELECT id, body FROM events WHERE done = 0')) {
    const { type, data } = JSON.parse(body);
    // What nobody has ordered yet may be ahead of the answer to its order.
    if (await finish(data, type.endsWith('.failed'))) run('UPDATE events SET done = 1 WHERE id = ?', id);
  }
}

async function pollTakes() {
  const open = all(
    "SELECT t.* FROM takes t JOIN orders o ON o.id = t.order_id WHERE t.state = 'open' AND o.state = 'placed'",
  );
  for (const { job } of open.filter((each) => each.job)) {
    const { body } = await ask('GET', `/music/generations/${job}`);
    if (body?.status === 'succeeded' || body?.status === 'failed') await finish(body, body.status === 'failed');
  }
  if (open.every((each) => each.job)) return;
  for (const type of ['music.generation.succeeded', 'music.generation.failed']) {
    const { body } = await ask('GET', `/webhooks/samples?event=${type}`);
    for (const { id, data } of body?.events ?? [])
      if (!id.startsWith('evt_sample_')) await finish(data, type.endsWith('.failed'));
  }
}

/** One thing after the other: what wakes it, it looks at all that is to be done. */
let woken = true;
let wake = () => {};
let isOpen = true;
async function work() {
  for (let idle = 0; isOpen; ) {
    if (!woken) {
      const open = one("SELECT count(*) n FROM takes t JOIN orders o ON o.id = t.order_id WHERE t.state = 'open'").n;
      await Promise.race([
        new Promise((resolve) => (wake = resolve)),
        sleep(open > 0 ? 350 : 60_000, undefined, { ref: false }),
      ]);
    }
    idle = woken ? 0 : idle + 1;
    woken = false;
    await ensureEndpoint();
    for (const order of all("SELECT * FROM orders WHERE state IN ('new', 'placing') ORDER BY id")) await place(order);
    await workEvents();
    if (idle > 0) await pollTakes();
  }
}
function stir() {
  woken = true;
  wake();
}

function isGenuine(header = '', body) {
  const secret = one('SELECT secret FROM endpoint')?.secret;
  if (!secret) return false;
  const parts = header.split(',').map((part) => part.trim().split('='));
  const [t] = parts.filter(([name]) => name === 't').map(([, value]) => value);
  const wanted = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  const fits = parts
    .filter(([name]) => name === 'v1')
    .some(([, value = '']) => {
      const sent = Buffer.from(value, 'hex');
      return sent.length === wanted.length && timingSafeEqual(sent, wanted);
    });
  return fits && Math.abs(Date.now() / 1000 - Number(t)) <= 300;
}

function takeEvent(request, body) {
  if (!isGenuine(request.headers['svc-signature'], body)) return [400, { error: 'The signature does not fit.' }];
  const event = JSON.parse(body);
  if (/^music\.generation\./.test(event.type))
    run('INSERT OR IGNORE INTO events (id, body) VALUES (?, ?)', event.id, body.toString());
  stir();
  return [204];
}

const takeOrder = db.transaction(({ idem, user, prompt }) => {
  const known = one('SELECT id FROM orders WHERE idem = ?', idem);
  if (known) return [200, { id: known.id }];
  const paid = run('UPDATE users SET balance = balance - ? WHERE name = ? AND balance >= ?', PRICE, user, PRICE);
  if (paid.changes === 0) return [402, { error: 'Not enough credits.' }];
  const { lastInsertRowid: id } = run(
    "INSERT INTO orders (idem, user, prompt, state) VALUES (?, ?, ?, 'new')",
    idem,
    user,
    prompt,
  );
  for (let take = 1; take <= TAKES; take += 1) run("INSERT INTO takes VALUES (?, ?, NULL, 'open', NULL)", id, take);
  return [201, { id: Number(id) }];
});

function stateOf(order) {
  const takes = all('SELECT take, state, file FROM takes WHERE order_id = ? ORDER BY take', order.id);
  const files = takes.map(({ take, state, file }) => ({
    take,
    state,
    sha: file && existsSync(path.join(songs, file)) ? sha(file) : null,
  }));
  return {
    id: order.id,
    prompt: order.prompt,
    user: order.user,
    takes: files,
    done: takes.every(({ state }) => state !== 'open'),
  };
}

/** Of a file that has not changed it is known. */
const shas = new Map();
function sha(file) {
  const { mtimeMs, size } = statSync(path.join(songs, file));
  const mark = `${file} ${mtimeMs} ${size}`;
  const hashed = () => createHash('sha256').update(readFileSync(path.join(songs, file)));
  if (!shas.has(mark)) shas.set(mark, hashed().digest('hex').slice(0, 16));
  return shas.get(mark);
}

function answer(request, body) {
  if (request.method === 'POST' && request.url === '/events') return takeEvent(request, body);
  if (request.method === 'POST' && request.url === '/orders') {
    const taken = takeOrder.immediate(JSON.parse(body));
    stir();
    return taken;
  }
  const orders = all('SELECT * FROM orders ORDER BY id').map(stateOf);
  if (request.url === '/state') return [200, { users: all('SELECT name, balance FROM users'), orders }];
  if (request.url === '/ready') return [one('SELECT 1 FROM endpoint') ? 200 : 503, {}];
  return [404, { error: 'Not here.' }];
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [status, body] = answer(request, Buffer.concat(chunks));
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? undefined : JSON.stringify(body));
}).listen(Number(port), '127.0.0.1');
const working = work();

export async function close() {
  isOpen = false;
  stir();
  server.closeAllConnections();
  server.close();
  await working;
  db.close();
}
