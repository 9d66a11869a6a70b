// A batch that makes clips of pictures: it uploads each, has a clip made of it, polls, and keeps the files.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from '../plain-fetch.mjs';

const settings = { ...process.env, ...Object.fromEntries(new URL(import.meta.url).searchParams) };
const { SVC_BASE_URL: base, SVC_API_KEY: key, PORT: port, SVC_CHECK_DIR: folder, ENGINE: engine } = settings;
const authorization = `Bearer ${key}`;
const BOUNDARY = 'a-picture-of-carol';
const PICTURES = {
  red: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPYp6FBEmIY1TCqYfhqAAAhUg4QaS+eswAAAABJRU5ErkJggg==',
  blue: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPQsNlHEmIY1TCqYfhqAACXBSIQFu1/ngAAAABJRU5ErkJggg==',
};
const items = [
  { name: 'red', says: 'the red door opens, and @keeper looks out', seed: 41, state: 'open', job: null },
  { name: 'blue', says: 'the blue door closes behind @keeper', seed: 42, state: 'open', job: null },
];

/** One request. Throws if its response is lost. */
async function askOnce(method, url, make = () => ({})) {
  const { type, body } = make();
  const headers = { authorization, ...(type && { 'content-type': type }) };
  const response = await fetch(`${base}/v1${url}`, { method, headers, body, signal: AbortSignal.timeout(4000) });
  const text = await response.text();
  const { status } = response;
  if (status === 429 || status >= 500) return { again: Number(response.headers.get('retry-after') ?? 0) * 1000 + 40 };
  return { status, body: status < 400 ? JSON.parse(text) : undefined };
}

/** What was refused before any work is asked again; what a lost response means is told by `lost`. */
async function ask(method, url, make, lost = () => undefined) {
  for (let turn = 0; turn < 8; turn += 1) {
    try {
      const answer = await askOnce(method, url, make);
      if (answer.again === undefined) return answer;
      await sleep(answer.again);
    } catch {
      const known = await lost();
      if (known) return known;
      await sleep(40 * (turn + 1));
    }
  }
  return { status: 0 };
}

async function requestsMade() {
  return (await ask('GET', '/account')).body?.usage_30d.requests;
}

/** The address of an item's picture. One whose answer was lost is looked for by its name. */
async function upload({ name }) {
  const make = () => {
    const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name=`;
    const file = `"file"; filename="${name}.png"\r\ncontent-type: image/png`;
    const body = [
      ...[`${part}${file}\r\n\r\n`, Buffer.from(PICTURES[name], 'base64')],
      `\r\n${part}"name"\r\n\r\n${name}.png\r\n--${BOUNDARY}--\r\n`,
    ];
    return {
      type: `multipart/form-data; boundary=${BOUNDARY}`,
      body: Buffer.concat(body.map((each) => Buffer.from(each))),
    };
  };
  const find = async () => {
    const { body } = await ask('GET', '/storage/objects');
    const found = body?.data.find(({ url }) => url.endsWith(`/${name}.png`));
    return found && { status: 200, body: found };
  };
  return (await ask('POST', '/storage/objects', make, find)).body?.url;
}

async function order(item) {
  const reference = await upload(item);
  if (!reference) return fail(item, 'unpaid');
  const before = await requestsMade();
  if (before === undefined) return fail(item, 'refused');
  const { says: prompt, seed } = item;
  const wanted = { model: engine, prompt, elements: ['keeper'], seconds: 4, resolution: '480p', seed, reference };
  const taken = async () => ((await requestsMade()) > before ? { status: 202 } : undefined);
  const { status, body } = await ask(
    'POST',
    '/videos/generations',
    () => ({ type: 'application/json', body: JSON.stringify(wanted) }),
    taken,
  );
  if (status !== 202) return fail(item, status === 402 ? 'unpaid' : 'refused');
  item.job = body?.id ?? (await adopt(item));
  if (!item.job) fail(item, 'missing');
}

/** The job of an order whose answer was lost: the one in the samples that has its seed. */
async function adopt({ seed }) {
  for (let turn = 0; turn < 100; turn += 1) {
    for (const id of await endedJobs()) {
      const job = await ask('GET', `/videos/generations/${id}`);
      if (job.body?.seed === seed) return id;
    }
    await sleep(60);
  }
  return undefined;
}

/** Jobs that have ended of late and are nobody's yet. */
async function endedJobs() {
  const known = new Set(items.map(({ job }) => job));
  const types = ['video.generation.succeeded', 'video.generation.failed'];
  const samples = await Promise.all(types.map((type) => ask('GET', `/webhooks/samples?event=${type}`)));
  const events = samples.flatMap(({ body }) => body?.events ?? []).filter(({ id }) => !id.startsWith('evt_sample_'));
  return events.map(({ data }) => data.id).filter((id) => !known.has(id));
}

function fail(item, state) {
  item.state = state;
}

/** Looks at a job until it has ended, and fetches its file. */
async function finish(item) {
  for (let turn = 0; turn < 200 && item.job; turn += 1) {
    const { body } = await ask('GET', `/videos/generations/${item.job}`);
    if (body?.status === 'failed') return fail(item, 'failed');
    if (body?.status === 'succeeded') return keep(item, body);
    await sleep(70);
  }
  if (item.job) fail(item, 'late');
}

async function keep(item, job) {
  const bytes = await download(job);
  if (!bytes) return fail(item, 'unread');
  const file = path.join(folder, `${item.name}.mp4`);
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
  item.state = 'done';
}

/** The whole file, or nothing. A URL that has expired is requested again. */
async function download({ id, result_url: first }) {
  let url = first;
  for (let turn = 0; turn < 6; turn += 1) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(4000) });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;
      if (response.status === 403) url = (await ask('GET', `/videos/generations/${id}`)).body?.result_url ?? url;
      await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 + 40);
    } catch {
      await sleep(40);
    }
  }
  return undefined;
}

async function work() {
  for (const item of items) await order(item);
  await Promise.all(items.filter(({ state }) => state === 'open').map(finish));
}

function stateOf({ name, state, seed }) {
  const file = path.join(folder, `${name}.mp4`);
  const sha = existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16) : null;
  return { name, state, seed, sha };
}

let working = Promise.resolve();
const server = createServer(async (request, response) => {
  if (request.url === '/run') {
    working = work().catch(() => undefined);
    await working;
  }
  response.end(JSON.stringify({ items: items.map(stateOf) }));
}).listen(Number(port), '127.0.0.1');

export async function close() {
  server.closeAllConnections();
  server.close();
  await working;
}
