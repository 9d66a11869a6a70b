import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';

const ATTEMPTS = 5;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS jingles (
    -- Also the seed of the song, which finds it again if no response arrives.
    id INTEGER PRIMARY KEY,
    prompt TEXT NOT NULL,
    -- ordering, rendering, ready, failed
    status TEXT NOT NULL DEFAULT 'ordering',
    song TEXT,
    error TEXT
  );
`;

/** An error status of the service. It did nothing, so the same request can be sent again if the error is temporary. */
class ServiceError extends Error {
  constructor(status, { code, message }, retryAfter) {
    super(message);
    Object.assign(this, { status, code, retryAfter, isTemporary: status === 429 || status >= 500 });
  }
}

/** No response arrived. The service may have done what it was asked to do. */
class NoResponse extends Error {}

/**
 * Jingles for a radio station. They are ordered as songs, polled until they are final, and kept in a folder. The station
 * has no address that the service could call, so there are no webhooks.
 */
export class Jingles {
  #following = new Set();
  #closing = new AbortController();

  constructor({ baseUrl, apiKey, folder, pollMs = 5_000, timeoutMs = 20_000, searchMs = 90_000 }) {
    Object.assign(this, { baseUrl, apiKey, folder, pollMs, timeoutMs, searchMs });
    this.db = new Database(path.join(folder, 'jingles.db'));
    this.db.exec(SCHEMA);
    for (const { id } of this.db.prepare("SELECT id FROM jingles WHERE status = 'rendering'").all()) this.#follow(id);
  }

  jingle(id) {
    return this.db.prepare('SELECT * FROM jingles WHERE id = ?').get(id);
  }

  all() {
    return this.db.prepare('SELECT * FROM jingles ORDER BY id').all();
  }

  fileOf(id) {
    return path.join(this.folder, `${id}.mp3`);
  }

  #change(id, values) {
    const columns = Object.keys(values).map((name) => `${name} = @${name}`);
    this.db.prepare(`UPDATE jingles SET ${columns} WHERE id = @id`).run({ ...values, id });
  }

  /** Orders a jingle and returns its id as soon as the service has accepted it. */
  async order(prompt) {
    const { lastInsertRowid: id } = this.db.prepare('INSERT INTO jingles (prompt) VALUES (?)').run(prompt);
    try {
      this.#change(id, { song: await this.#place(Number(id), prompt), status: 'rendering' });
    } catch (error) {
      this.#change(id, { status: 'failed', error: error.code ?? 'no_response' });
      throw error;
    }
    this.#follow(id);
    return id;
  }

  async #place(seed, prompt) {
    const body = { prompt, seconds: 30, n: 1, seed, instrumental: true };
    try {
      const { data } = await this.#retry(() => this.#send('POST', '/music/generations', body));
      return data[0].id;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const song = await this.#find(seed);
      if (song) return song;
      throw error;
    }
  }

  /** Looks for the song with this seed in the latest events, which the service keeps also without a webhook. */
  async #find(seed) {
    for (const end = Date.now() + this.searchMs; Date.now() < end; await this.#pause(this.pollMs)) {
      for (const outcome of ['succeeded', 'failed']) {
        const { events } = await this.#read(`/webhooks/samples?event=music.generation.${outcome}`);
        const event = events.find(({ data }) => data.seed === seed);
        if (event) return event.data.id;
      }
    }
    return undefined;
  }

  #follow(id) {
    const following = this.#poll(id)
      .catch(() => {})
      .finally(() => this.#following.delete(following));
    this.#following.add(following);
  }

  /** Polls until the jingle is final, however long that takes: it is paid. */
  async #poll(id) {
    for (;;) {
      try {
        const song = await this.#read(`/music/generations/${this.jingle(id).song}`);
        if (song.status === 'failed') return this.#change(id, { status: 'failed', error: song.error.code });
        if (song.status === 'succeeded') {
          await this.#save(id, song.result_url);
          return this.#change(id, { status: 'ready' });
        }
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        console.error(`jingle ${id}: ${error.message}`);
      }
      await this.#pause(this.pollMs);
    }
  }

  /** Keeps a whole MP3: under its name there is never half of one. */
  async #save(id, url) {
    const response = await fetch(url, { signal: this.#signal() });
    if (!response.ok) throw new Error(`the file returned ${response.status}`);
    if (response.headers.get('content-type') !== 'audio/mpeg') throw new Error('the file is no MP3');
    await writeFile(`${this.fileOf(id)}.part`, Buffer.from(await response.arrayBuffer()));
    await rename(`${this.fileOf(id)}.part`, this.fileOf(id));
  }

  #signal() {
    return AbortSignal.any([AbortSignal.timeout(this.timeoutMs), this.#closing.signal]);
  }

  async #send(method, path, body) {
    const headers = { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' };
    let response;
    let answer;
    try {
      const options = { method, headers, body: body && JSON.stringify(body), signal: this.#signal() };
      response = await fetch(`${this.baseUrl}${path}`, options);
      answer = await response.json();
    } catch (cause) {
      throw new NoResponse(`${method} ${path}: no response`, { cause });
    }
    if (response.ok) return answer;
    throw new ServiceError(response.status, answer.error, Number(response.headers.get('retry-after') ?? 1));
  }

  #read(path) {
    return this.#retry(
      () => this.#send('GET', path),
      (error) => error instanceof NoResponse,
    );
  }

  async #retry(work, isHarmless = () => false) {
    for (let left = ATTEMPTS - 1; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (left === 0 || !(error.isTemporary || isHarmless(error))) throw error;
        await this.#pause((error.retryAfter ?? 0.5) * 1_000);
      }
    }
  }

  #pause(ms) {
    return wait(ms, undefined, { signal: this.#closing.signal });
  }

  async close() {
    this.#closing.abort();
    await Promise.all(this.#following);
    this.db.close();
  }
}

/** `POST /jingles`, `GET /jingles`, `GET /jingles/ID` and `GET /jingles/ID/audio`. */
export function jingleServer(jingles, readFile) {
  const send = (response, status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  async function handle(request, response) {
    const [, id, isAudio] = /^\/jingles(?:\/(\d+)(\/audio)?)?$/.exec(request.url) ?? [];
    if (request.method === 'POST') {
      const { prompt } = await json(request);
      return send(response, 201, { id: await jingles.order(prompt) });
    }
    if (!id) return send(response, 200, jingles.all());
    const jingle = jingles.jingle(id);
    if (!jingle || (isAudio && jingle.status !== 'ready')) return send(response, 404, { error: 'not_found' });
    if (!isAudio) return send(response, 200, jingle);
    return response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(await readFile(jingles.fileOf(id)));
  }

  return createServer((request, response) => {
    handle(request, response).catch((error) => {
      const status = error.status === 402 ? 402 : 502;
      send(response, status, { error: error.code ?? 'no_response' });
    });
  });
}

/** Makes the folder and opens it. */
export async function openJingles({ folder, ...settings }) {
  await mkdir(folder, { recursive: true });
  return new Jingles({ folder, ...settings });
}
