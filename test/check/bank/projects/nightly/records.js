import Database from 'better-sqlite3';
import express from 'express';
import Stripe from 'stripe';

const ATTEMPTS = 4;
const TAKES = [1, 2];
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS singles (
    id INTEGER PRIMARY KEY,
    buyer TEXT NOT NULL,
    prompt TEXT NOT NULL,
    -- How many requests the account had made before this order was sent; null before it was ever sent.
    requests_before INTEGER,
    -- open, accepted or rejected
    status TEXT NOT NULL DEFAULT 'open'
  );
  CREATE TABLE IF NOT EXISTS sides (
    single INTEGER NOT NULL REFERENCES singles,
    take INTEGER NOT NULL,
    job TEXT NOT NULL,
    error TEXT,
    audio BLOB,
    PRIMARY KEY (single, take)
  );
`;

/** A read is free, so anything temporary is tried again; an order only if the service said that it did nothing. */
const isHarmless = ({ status }, method) => (status ? status === 429 || status >= 500 : method === 'GET');

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Singles with two sides, each a take of a song. Webhooks bring the results. What a webhook did not bring by the evening,
 * the nightly sweep fetches: cron calls `sweep()` once a day, when no customer orders.
 */
export function recordShop({ baseUrl, apiKey, file = ':memory:', timeoutMs = 15_000 }) {
  const db = new Database(file);
  db.exec(SCHEMA);

  async function send(method, path, body) {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const json = await response.json();
    if (response.ok) return json;
    const retryAfter = Number(response.headers.get('retry-after') ?? 1);
    throw Object.assign(new Error(json.error.message), { status: response.status, code: json.error.code, retryAfter });
  }

  async function call(method, path, body) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, path, body);
      } catch (error) {
        if (attempt === ATTEMPTS || !isHarmless(error, method)) throw error;
        await pause(error.retryAfter ?? attempt);
      }
    }
  }

  const single = (id) => db.prepare('SELECT * FROM singles WHERE id = ?').get(id);
  const sides = (id) => db.prepare('SELECT * FROM sides WHERE single = ? ORDER BY take').all(id);
  const isOpen = ({ error, audio }) => error === null && audio === null;

  const requestsSoFar = async () => (await call('GET', '/account')).usage_30d.requests;

  /** The takes of single 7 have the seeds 14 and 15, so a song says which single it is. */
  const ofSeed = ({ seed, take }) => single((seed - take + 1) / 2);

  /** Sends an order. Without a response it stays open, and the sweep finds out what happened. */
  async function place({ id, prompt }) {
    db.prepare('UPDATE singles SET requests_before = ? WHERE id = ?').run(await requestsSoFar(), id);
    const order = { prompt, seconds: 30, n: TAKES.length, seed: 2 * id };
    try {
      const { data } = await call('POST', '/music/generations', order);
      for (const { id: job, take } of data) addSide(id, take, job);
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 429)
        db.prepare("UPDATE singles SET status = 'rejected' WHERE id = ?").run(id);
      throw error;
    }
  }

  const addSide = db.transaction((id, take, job) => {
    db.prepare('INSERT OR IGNORE INTO sides (single, take, job) VALUES (?, ?, ?)').run(id, take, job);
    db.prepare("UPDATE singles SET status = 'accepted' WHERE id = ?").run(id);
  });

  /** Books what became of a take: news that was booked before changes nothing. */
  async function book({ id: job, seed, take, result_url, error }) {
    const known = ofSeed({ seed, take });
    if (!known) return;
    addSide(known.id, take, job);
    const audio = error ? null : await download(result_url);
    db.prepare(
      'UPDATE sides SET error = ?, audio = ? WHERE single = ? AND take = ? AND error IS NULL AND audio IS NULL',
    ).run(error?.code ?? null, audio, known.id, take);
  }

  async function download(url) {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const isSong = response.ok && response.headers.get('content-type')?.startsWith('audio/');
    if (!isSong) throw new Error(`The service returned ${response.status} for a file.`);
    return Buffer.from(await response.arrayBuffer());
  }

  /**
   * The nightly sweep: finds what was ordered without a response, sends what never arrived, and reads open takes. What
   * fails is left for the next night.
   */
  async function sweep() {
    const unsure = db.prepare("SELECT * FROM singles WHERE status = 'open'").all();
    for (const one of unsure) await trace(one).catch((error) => console.error(`single ${one.id}: ${error.message}`));
    const open = db.prepare('SELECT * FROM sides').all().filter(isOpen);
    for (const { job } of open) await read(job).catch((error) => console.error(`${job}: ${error.message}`));
  }

  async function read(job) {
    const song = await call('GET', `/music/generations/${job}`);
    if (song.status === 'succeeded' || song.status === 'failed') await book(song);
  }

  async function trace(unsure) {
    for (const outcome of ['succeeded', 'failed']) {
      const { events } = await call('GET', `/webhooks/samples?event=music.generation.${outcome}`);
      for (const { data } of events.filter((event) => ofSeed(event.data)?.id === unsure.id)) await book(data);
    }
    const isCharged = unsure.requests_before !== null && (await requestsSoFar()) > unsure.requests_before;
    if (single(unsure.id).status === 'open' && !isCharged) await place(unsure);
  }

  return { app: shopApp({ db, place, book, single, sides, isOpen }), sweep };
}

function shopApp({ db, place, book, single, sides, isOpen }) {
  const app = express();
  const working = new Set();

  /** Does what nobody waits for. If it fails, the sweep does it again. */
  function later(name, work) {
    const done = work().catch((error) => console.error(`${name}: ${error.message}`));
    working.add(done);
    done.then(() => working.delete(done));
  }

  app.post('/hooks/media', express.raw({ type: '*/*', limit: '2mb' }), (request, response) => {
    try {
      const event = Stripe.webhooks.constructEvent(request.body, request.get('svc-signature'), app.locals.secret);
      if (event.type.startsWith('music.generation.')) later(event.id, () => book(event.data));
      response.sendStatus(204);
    } catch {
      response.sendStatus(400);
    }
  });

  app.post('/singles', express.json(), (request, response) => {
    const { buyer, prompt } = request.body;
    const { lastInsertRowid: id } = db.prepare('INSERT INTO singles (buyer, prompt) VALUES (?, ?)').run(buyer, prompt);
    later(`single ${id}`, () => place(single(id)));
    response.status(202).json({ id });
  });

  app.get('/singles/:id', (request, response) => {
    const found = single(request.params.id);
    if (!found) return response.sendStatus(404);
    const pressed = sides(found.id);
    const isDone = pressed.length === TAKES.length && !pressed.some(isOpen);
    const stateOf = (side) => side.error ?? (side.audio ? 'pressed' : 'open');
    response.json({ id: found.id, status: found.status, isDone, sides: pressed.map(stateOf) });
  });

  app.get('/singles/:id/sides/:take', (request, response) => {
    const side = sides(request.params.id).find(({ take }) => take === Number(request.params.take));
    if (!side?.audio) return response.sendStatus(404);
    response.type('audio/mpeg').send(side.audio);
  });

  app.locals.idle = async () => {
    while (working.size > 0) await Promise.all(working);
  };
  app.locals.close = () => db.close();
  return app;
}
