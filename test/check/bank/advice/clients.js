// Small clients of the service, each with one bug that `check` finds. `advice.patch` does to each what the advice says.
import http from 'node:http';
import { inflateSync } from 'node:zlib';
import {
  call,
  finalJob,
  fits,
  json,
  once,
  order,
  orderSong,
  proofsOf,
  receiver,
  SONG,
  wait,
  wholeFile,
} from './calls.js';

const CHAT = (text) => ({ model: 'svc-rp-mini', messages: [{ role: 'user', content: text }] });
const textOf = ({ choices }) => choices[0].message.content;

export async function readsOnce(world) {
  return json(await once(world, 'GET', '/account')).credits;
}

export async function paysAgain(world) {
  const buy = () => order(world, '/images/generations', { prompt: 'a gate', response_format: 'url' });
  const { usage } = await buy().catch(buy);
  return usage.credits_spent;
}

export async function waitsTooLong(world) {
  const answer = await once(world, 'POST', '/chat/completions', { body: CHAT('Are you there?'), timeoutMs: 60_000 });
  if (answer.status !== 200) return paysOnce(world, 'Are you there?');
  return textOf(json(answer));
}

const paysOnce = async (world, text) => textOf(await order(world, '/chat/completions', CHAT(text)));

export async function losesSongs(world) {
  const song = await order(world, '/music/generations', { ...SONG, prompt: 'a reel', seed: 4 }).catch((error) => {
    if (!error.cause) throw error;
    return { data: [] };
  });
  return song.data.length === 0 ? 'refused' : (await finalJob(world, song.data[0].id)).status;
}

export async function subscribesAgain(world) {
  const url = 'http://127.0.0.1:9/hook';
  const subscribe = () => order(world, '/webhooks', { url, events: ['music.generation.succeeded'] });
  const endpoints = async () => json(await call(world, 'GET', '/webhooks')).webhooks;
  const { id } = await subscribe().catch(subscribe);
  return (await endpoints()).every((endpoint) => endpoint.id === id);
}

export async function invents(world) {
  const answer = await order(world, '/chat/completions', CHAT('What do you see?')).catch((error) => {
    if (error.cause) return { choices: [{ message: { content: 'I see nothing.' } }] };
    throw error;
  });
  return textOf(answer);
}

export async function keepsErrors(world) {
  const { data } = await order(world, '/images/generations', { prompt: 'a door', response_format: 'url' });
  return (await once(world, 'GET', data[0].url).catch(() => call(world, 'GET', data[0].url))).bytes;
}

export async function givesUpAtOnce(world) {
  const answer = await once(world, 'POST', '/chat/completions', { body: CHAT('Is it late?') });
  if (answer.status !== 200) throw new Error(`the chat returned ${answer.status}`);
  return textOf(json(answer));
}

export async function believesErrors(world) {
  const id = await orderSong(world, 'a polka', 6);
  for (;;) {
    const job = await once(world, 'GET', `/music/generations/${id}`).catch(() => undefined);
    if (job && job.status === 500) return 'failed';
    if (job?.status === 200 && json(job).status === 'succeeded') return 'succeeded';
    await wait(100);
  }
}

export async function sumsUp(world) {
  let credits;
  const say = async (text) => {
    const { usage } = await order(world, '/chat/completions', CHAT(text));
    credits = usage.credits_remaining;
  };
  // The second is sent while the first is open.
  await Promise.all([say('One?'), wait(100).then(() => say('Two?'))]);
  return credits;
}

const EVENTS = ['music.generation.succeeded'];

/** Orders a song and returns its events once everything has ended. `accept` returns a status and keeps the event. */
async function songWith(world, accept, seed) {
  const kept = [];
  const opened = await receiver(world, EVENTS, (body, header) => accept({ body, header, secret: opened.secret, kept }));
  const id = await orderSong(world, 'a march', seed);
  await finalJob(world, id);
  await world.emulator.waitFor.idle({ accountId: world.id, timeout: 30 });
  opened.close();
  return { id, kept };
}

const isFresh = (t) => Math.abs(Date.now() / 1_000 - t) <= 300;

function keep(kept, body) {
  const event = JSON.parse(body);
  if (EVENTS.includes(event.type) && !kept.some(({ id }) => id === event.id)) kept.push(event);
  return 204;
}

export const believesForgeries = (world) =>
  songWith(
    world,
    ({ body, header, kept }) => {
      const { t } = proofsOf(header);
      return isFresh(t) ? keep(kept, body) : 400;
    },
    8,
  );

export const believesOldEvents = (world) =>
  songWith(
    world,
    ({ body, header, secret, kept }) => {
      const { t, proofs } = proofsOf(header);
      return fits(secret, t, body, proofs) ? keep(kept, body) : 400;
    },
    10,
  );

export const serializesAgain = (world) =>
  songWith(
    world,
    ({ body, header, secret, kept }) => {
      const { t, proofs } = proofsOf(header);
      const text = JSON.stringify(JSON.parse(body));
      return isFresh(t) && fits(secret, t, text, proofs) ? keep(kept, body) : 400;
    },
    12,
  );

export const readsOneProof = (world) =>
  songWith(
    world,
    ({ body, header, secret, kept }) => {
      const { t, proofs } = proofsOf(header);
      return isFresh(t) && fits(secret, t, body, proofs.slice(0, 1)) ? keep(kept, body) : 400;
    },
    14,
  );

export const refusesUnknownTypes = (world) =>
  songWith(
    world,
    ({ body, header, secret, kept }) => {
      const { t, proofs } = proofsOf(header);
      if (!isFresh(t) || !fits(secret, t, body, proofs)) return 400;
      return EVENTS.includes(JSON.parse(body).type) ? keep(kept, body) : 500;
    },
    16,
  );

export const keepsTwice = (world) =>
  songWith(
    world,
    ({ body, header, secret, kept }) => {
      const { t, proofs } = proofsOf(header);
      if (!isFresh(t) || !fits(secret, t, body, proofs)) return 400;
      const event = JSON.parse(body);
      if (EVENTS.includes(event.type)) kept.push(event);
      return 204;
    },
    18,
  );

/** What an honest receiver keeps. */
const honest = ({ body, header, secret, kept }) => {
  const { t, proofs } = proofsOf(header);
  return isFresh(t) && fits(secret, t, body, proofs) ? keep(kept, body) : 400;
};

export async function trustsEvents(world) {
  const kept = [];
  const opened = await receiver(world, EVENTS, (body, header) => honest({ body, header, secret: opened.secret, kept }));
  const id = await orderSong(world, 'a hymn', 20);
  for (let look = 0; look < 60 && kept.length === 0; look++) await wait(100);
  opened.close();
  return kept.some(({ data }) => data.id === id) ? 'succeeded' : 'open';
}

export async function givesUpOnLateEvents(world) {
  const kept = [];
  const opened = await receiver(world, EVENTS, (body, header) => honest({ body, header, secret: opened.secret, kept }));
  const id = await orderSong(world, 'a waltz', 22);
  await finalJob(world, id);
  await wait(1_500);
  opened.close();
  return kept.some(({ data }) => data.id === id) ? 'succeeded' : 'failed';
}

export async function pollsThrice(world) {
  await world.emulator.setProgression({ mode: 'polls', value: 2, accountId: world.id });
  const id = await orderSong(world, 'a jig', 26);
  for (let poll = 0; poll < 3; poll++) {
    const job = json(await call(world, 'GET', `/music/generations/${id}`));
    if (job.status === 'succeeded') return job.status;
  }
  return 'lost';
}

export async function pollsOnce(world) {
  const id = await orderSong(world, 'a gigue', 27);
  await world.emulator.waitFor.job(id, { timeout: 30 });
  return json(await call(world, 'GET', `/music/generations/${id}`)).status;
}

export async function stopsReading(world) {
  const id = await orderSong(world, 'a dirge', 28);
  for (const end = Date.now() + 4_500; Date.now() < end; await wait(100)) {
    const job = json(await call(world, 'GET', `/music/generations/${id}`));
    if (job.status === 'succeeded') return job.status;
  }
  return 'lost';
}

export async function forgetsEarlyEvents(world) {
  const known = new Set();
  const done = new Set();
  const opened = await receiver(world, EVENTS, (body, header) => {
    const kept = [];
    const status = honest({ body, header, secret: opened.secret, kept });
    for (const { data } of kept.filter((event) => known.has(event.data.id))) done.add(data.id);
    return status;
  });
  const id = await orderSong(world, 'an ode', 30);
  known.add(id);
  await world.emulator.waitFor.idle({ accountId: world.id, timeout: 30 });
  opened.close();
  return done.has(id);
}

export async function doubtsEvents(world) {
  let status;
  const opened = await receiver(world, EVENTS, async (body, header) => {
    const kept = [];
    const code = honest({ body, header, secret: opened.secret, kept });
    if (kept.length > 0) {
      const job = json(await call(world, 'GET', `/music/generations/${kept[0].data.id}`));
      status = job.status === 'succeeded' ? 'succeeded' : 'failed';
    }
    return code;
  });
  const id = await orderSong(world, 'a round', 32);
  await world.emulator.waitFor.idle({ accountId: world.id, timeout: 30 });
  opened.close();
  return status ?? (await finalJob(world, id)).status;
}

export async function keepsOldUrls(world) {
  const { result_url: url } = await finalJob(world, await orderSong(world, 'a ballad', 34));
  const file = await wholeFile(world, url, (bytes) => bytes.length > 10_000);
  return file.status;
}

/** The file of a song. An expired URL is replaced. */
async function songFile(world, seed) {
  const id = await orderSong(world, 'a canon', seed);
  for (let attempt = 1; ; attempt++) {
    const { result_url: url } = await finalJob(world, id);
    const file = await wholeFile(world, url, (bytes) => bytes.length > 10_000);
    if (file.status === 200 || attempt === 3) return file;
  }
}

export const believesTypes = async (world) => (await songFile(world, 36)).headers.get('content-type');

/** Decodes the image data of a PNG, whose checksum covers all of it. */
export function isWholePng(bytes) {
  const data = [];
  for (let at = 8; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  try {
    return inflateSync(Buffer.concat(data)).length > 0;
  } catch {
    return false;
  }
}

async function imageUrl(world, prompt) {
  const { data } = await order(world, '/images/generations', { prompt, response_format: 'url', store: true });
  return data[0].url;
}

export async function keepsImageUrls(world) {
  const { data } = await order(world, '/images/generations', { prompt: 'a cairn', response_format: 'url' });
  return (await wholeFile(world, data[0].url, isWholePng)).bytes;
}

export async function keepsDamage(world) {
  const url = await imageUrl(world, 'a stone');
  return (await wholeFile(world, url, (bytes) => bytes.toString('latin1', 1, 4) === 'PNG')).bytes;
}

export async function keepsHalves(world) {
  const url = await imageUrl(world, 'a tower');
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url).catch(() => undefined);
    const parts = [];
    try {
      for await (const part of response.body) parts.push(part);
    } catch {
      // What came so far is kept.
    }
    const bytes = Buffer.concat(parts);
    if (attempt === 5 || (response?.ok && bytes.length > 0)) return bytes;
    await wait(Number(response?.headers.get('retry-after') ?? 0.2) * 1_000);
  }
}

async function streamed(world, text) {
  for (let attempt = 1; ; attempt++) {
    const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...CHAT(text), stream: true });
    const signal = AbortSignal.timeout(4_000);
    const response = await fetch(`${world.baseUrl}/chat/completions`, { method: 'POST', headers, body, signal });
    if (response.ok) return response;
    if (response.status === 402 || attempt === 5) throw new Error(`${response.status}: the chat was refused`);
    await wait(Number(response.headers.get('retry-after') ?? 0.3) * 1_000);
  }
}

const deltas = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices[0].delta.content ?? '')
    .join('');

export async function takesHalfReplies(world) {
  const response = await streamed(world, 'Tell me of the sea.');
  let text = '';
  try {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) text += part;
  } catch {
    // The rest does not matter.
  }
  return deltas(text.slice(0, text.lastIndexOf('\n') + 1));
}

export async function decodesParts(world) {
  const response = await streamed(world, 'Tell me of the land.');
  let reply = '';
  let isDone = false;
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    reply += deltas(part);
    isDone ||= part.includes('[DONE]');
  }
  if (!isDone) throw new Error('the reply ended early', { cause: new Error('terminated') });
  return reply;
}

async function wholeReply(response) {
  let text = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) text += part;
  if (!text.includes('data: [DONE]')) throw new Error('the reply ended early', { cause: new Error('terminated') });
  return deltas(text);
}

export async function countsFields(world) {
  const { usage } = await order(world, '/chat/completions', CHAT('How much?'));
  const [, remaining] = Object.values(usage);
  return remaining;
}

export async function matchesText(world) {
  const answer = await call(world, 'POST', '/chat/completions', { body: CHAT('How many?') });
  if (answer.status !== 200) throw new Error(`${answer.status}: the chat was refused`);
  return Number(/"credits_remaining":(\d+)/.exec(answer.bytes.toString())?.[1]);
}

export async function trustsLengths(world) {
  const answer = await call(world, 'GET', '/account');
  return JSON.parse(answer.bytes.subarray(0, Number(answer.headers.get('content-length'))).toString() || 'null')
    ?.credits;
}

/** The headers of a free request, as they were sent. */
async function rawHeaders(world) {
  for (let attempt = 1; ; attempt++) {
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const response = await new Promise((resolve) => {
      const request = http.get(`${world.baseUrl}/account`, { headers, timeout: 4_000 }, resolve);
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(undefined));
    });
    response?.resume();
    if (response?.statusCode === 200 || attempt === 5) return response;
    await wait(Number(response?.headers['retry-after'] ?? 0.3) * 1_000);
  }
}

export async function mindsCase(world) {
  const { rawHeaders: raw } = await rawHeaders(world);
  return raw[raw.indexOf('x-request-id') + 1].startsWith('req_');
}

export async function readsMessages(world) {
  const answer = await call(world, 'GET', '/music/generations/job_unknown');
  return json(answer).error.message.includes('job_unknown') ? 'unknown' : 'other';
}

export async function buildsUrls(world) {
  const url = await imageUrl(world, 'a well');
  const [, id] = /\/cdn\/objects\/(obj_\w+)\//.exec(url);
  const built = `${new URL(url).origin}/cdn/objects/${id}/${url.split('/').at(-1)}`;
  return (await wholeFile(world, built, isWholePng)).status;
}

export async function asksAgainWithoutCredits(world) {
  for (let attempt = 1; ; attempt++) {
    const answer = await call(world, 'POST', '/chat/completions', { body: CHAT('May I?') });
    if (answer.status === 200) return textOf(json(answer));
    if (attempt === 3) throw new Error(`${answer.status}: ${json(answer).error.code}`);
  }
}

/** What a customer has paid in the end for two takes of 3 credits each. */
export async function refundsBothTakes(world) {
  const { data } = await order(world, '/music/generations', { ...SONG, prompt: 'a duet', n: 2 });
  const takes = await Promise.all(data.map(({ id }) => finalJob(world, id)));
  return takes.some(({ status }) => status === 'failed') ? 0 : 6;
}

/** What a customer has paid in the end for a song of 3 credits. */
export async function keepsTheMoney(world) {
  await finalJob(world, await orderSong(world, 'a solo', 38));
  return 3;
}

/** Songs whose ends come as events. Returns the states that the events gave them. */
async function toldBy(world, take, seeds) {
  // Once these songs are rendered for somebody else, their events follow each other at once.
  const other = await world.emulator.account({ credits: 100 });
  for (const seed of seeds) await orderSong({ ...world, ...other, apiKey: other.apiKey }, 'a rondo', seed);
  await world.emulator.waitFor.idle({ accountId: other.id, timeout: 60 });
  const states = new Map();
  const opened = await receiver(world, [...EVENTS, 'music.generation.failed'], (body) =>
    take(JSON.parse(body), states),
  );
  for (const seed of seeds) await orderSong(world, 'a rondo', seed);
  await world.emulator.waitFor.idle({ accountId: world.id, timeout: 30 });
  opened.close();
  return [...states.values()].join();
}

export const refusesFailures = (world) =>
  toldBy(
    world,
    ({ type, data }, states) => {
      if (type.endsWith('.failed')) return 500;
      states.set(data.id, type.split('.').at(-1));
      return 204;
    },
    [40],
  );

export const refusesOlderEvents = (world) =>
  toldBy(
    world,
    ({ type, data }, states) => {
      if ([...states.keys()].some((seed) => seed > data.seed)) return 500;
      states.set(data.seed, type.split('.').at(-1));
      return 204;
    },
    [41, 42],
  );

/** What the service has taken, less what was booked. */
export async function booksByPosition(world) {
  const { usage } = await order(world, '/chat/completions', CHAT('What do I owe?'));
  const [booked] = Object.values(usage);
  return 1000 - json(await call(world, 'GET', '/account')).credits - booked;
}

export async function repeatsCutReplies(world) {
  const text = async () => {
    const response = await streamed(world, 'Tell me of the sky.');
    return wholeReply(response);
  };
  await text().catch(text);
  return json(await call(world, 'GET', '/account')).credits;
}
