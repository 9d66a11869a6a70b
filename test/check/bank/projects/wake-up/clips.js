import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import express from 'express';
import OpenAI from 'openai';
import Stripe from 'stripe';

const PRICE = 50;
const MAX_ATTEMPTS = 4;
const EVENTS = ['video.generation.succeeded', 'video.generation.failed'];
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS customers (
    name TEXT PRIMARY KEY,
    credits INTEGER NOT NULL CHECK (credits >= 0)
  );
  CREATE TABLE IF NOT EXISTS clips (
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customers,
    prompt TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'placing',
    job_id TEXT UNIQUE,
    file BLOB,
    error TEXT
  );
  CREATE TABLE IF NOT EXISTS mails (clip INTEGER NOT NULL, text TEXT NOT NULL);
`;

/**
 * A shop for clips. An event only wakes it up: what became of a clip is always read from the service, so events may be
 * repeated, late or missing. Without an event, each open clip is looked at every `recheckMs`.
 */
export function clipShop({ baseURL, apiKey, file = ':memory:', recheckMs = 60_000, timeout = 15_000 }) {
  const openai = new OpenAI({ baseURL, apiKey, timeout });
  const db = new Database(file);
  db.exec(SCHEMA);
  const statements = {
    pay: db.prepare('UPDATE customers SET credits = credits - ? WHERE name = ? AND credits >= ?'),
    add: db.prepare('INSERT INTO clips (customer, prompt) VALUES (?, ?)'),
    order: db.prepare("UPDATE clips SET status = 'rendering', job_id = ? WHERE id = ?"),
    finish: db.prepare("UPDATE clips SET status = 'ready', file = ? WHERE id = ? AND status = 'rendering'"),
    fail: db.prepare(
      "UPDATE clips SET status = 'failed', error = ? WHERE id = ? AND status IN ('placing', 'rendering')",
    ),
    giveBack: db.prepare('UPDATE customers SET credits = credits + ? WHERE name = ?'),
    mail: db.prepare('INSERT INTO mails VALUES (?, ?)'),
    clip: db.prepare('SELECT * FROM clips WHERE id = ?'),
    open: db.prepare("SELECT job_id FROM clips WHERE status = 'rendering'"),
    ofJob: db.prepare("SELECT * FROM clips WHERE job_id = ? AND status = 'rendering'"),
  };

  const begin = db.transaction((customer, prompt) => {
    if (statements.pay.run(PRICE, customer, PRICE).changes === 0) return undefined;
    return statements.add.run(customer, prompt).lastInsertRowid;
  });

  const finish = db.transaction((clip, bytes) => {
    if (statements.finish.run(bytes, clip.id).changes === 0) return;
    statements.mail.run(clip.id, `Your clip "${clip.prompt}" is ready.`);
  });

  const fail = db.transaction((clip, error) => {
    if (statements.fail.run(error, clip.id).changes > 0) statements.giveBack.run(PRICE, clip.customer);
  });

  /** Orders a clip. Only what was surely not done is sent again: the service charges each request. */
  async function place(clip) {
    const body = { model: 'vid_max5havc', prompt: clip.prompt, seconds: 4, resolution: '480p' };
    for (let attempt = 1; ; attempt++) {
      try {
        return await openai.post('/videos/generations', { body, maxRetries: 0 });
      } catch (error) {
        const isBusy = error.status === 429 || error.status >= 500;
        if (!isBusy || attempt === MAX_ATTEMPTS) throw error;
        await wait(Number(error.headers.get('retry-after') ?? attempt) * 1000);
      }
    }
  }

  /** Reads the job and does what is to be done. Reading is free, so the client may repeat it. */
  async function look(jobId) {
    const clip = statements.ofJob.get(jobId);
    if (!clip) return;
    const job = await openai.get(`/videos/generations/${jobId}`, { maxRetries: MAX_ATTEMPTS });
    if (job.status === 'succeeded') finish(clip, await download(job.result_url));
    if (job.status === 'failed') fail(clip, job.error.code);
  }

  const looks = new Map();

  /** Looks at a job, once at a time. If that fails, the next recheck looks again. */
  function wakeUp(jobId) {
    if (looks.has(jobId)) return;
    const looking = look(jobId).catch((error) => console.error(`job ${jobId}: ${error.message}`));
    looks.set(
      jobId,
      looking.finally(() => looks.delete(jobId)),
    );
  }

  const timer = setInterval(() => {
    for (const { job_id } of statements.open.all()) wakeUp(job_id);
  }, recheckMs);

  const app = express();

  app.post('/events', express.raw({ type: 'application/json', limit: '2mb' }), (request, response) => {
    let event;
    try {
      event = Stripe.webhooks.constructEvent(request.body, request.get('svc-signature'), app.locals.secret);
    } catch (error) {
      return response.status(400).send(error.message);
    }
    response.sendStatus(204);
    if (EVENTS.includes(event.type)) wakeUp(event.data.id);
  });

  app.use(express.json());

  app.post('/clips', async (request, response) => {
    const { customer, prompt } = request.body;
    const id = begin(customer, prompt);
    if (!id) return response.status(402).json({ error: 'You have too few credits.' });
    const clip = statements.clip.get(id);
    try {
      const job = await place(clip);
      statements.order.run(job.id, id);
      response.status(202).json({ id });
    } catch (error) {
      fail(clip, error.code ?? 'no_response');
      response.status(502).json({ error: 'The clip could not be ordered. You got your credits back.' });
    }
  });

  app.get('/clips/:id', (request, response) => {
    const clip = statements.clip.get(request.params.id);
    if (!clip) return response.sendStatus(404);
    response.json({ id: clip.id, status: clip.status, error: clip.error });
  });

  app.get('/clips/:id/file', (request, response) => {
    const clip = statements.clip.get(request.params.id);
    if (!clip?.file) return response.sendStatus(404);
    response.type('video/mp4').send(clip.file);
  });

  app.get('/customers/:name', (request, response) => {
    const { name } = request.params;
    const { credits } = db.prepare('SELECT credits FROM customers WHERE name = ?').get(name);
    const mails = db.prepare('SELECT text FROM mails JOIN clips ON clips.id = clip WHERE customer = ?').all(name);
    response.json({ name, credits, mails: mails.map(({ text }) => text) });
  });

  app.locals.addCustomer = (name, credits) => db.prepare('INSERT INTO customers VALUES (?, ?)').run(name, credits);
  app.locals.close = async () => {
    clearInterval(timer);
    await Promise.all(looks.values());
    db.close();
  };
  return app;
}

/** The whole clip. An MP4 begins with a box of the type `ftyp`. */
async function download(url) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    if (response.ok) {
      const bytes = Buffer.from(await response.arrayBuffer());
      if (bytes.toString('latin1', 4, 8) !== 'ftyp') throw new Error(`${url} is no MP4`);
      return bytes;
    }
    if (response.status < 500 || attempt === MAX_ATTEMPTS) throw new Error(`${url} returned ${response.status}`);
    await wait(Number(response.headers.get('retry-after') ?? attempt) * 1000);
  }
}
