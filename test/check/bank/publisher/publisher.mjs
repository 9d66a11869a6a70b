// A publisher: it has a flow draft each post, shows the draft to its editor, and publishes what was approved, once.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from '../plain-fetch.mjs';

const settings = { ...process.env, ...Object.fromEntries(new URL(import.meta.url).searchParams) };
const { SVC_BASE_URL: base, SVC_API_KEY: key, PORT: port, FLOW: flow, HOOK: hook } = settings;
const EVENTS = ['flow.run.waiting', 'flow.run.succeeded', 'flow.run.failed'];
const posts = new Map();
const inbox = new Map();
const published = [];
let secret;

/** What was refused before any work is asked again; what a lost response means is told by `lost`. */
async function ask(method, url, body, lost = () => undefined) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let turn = 0; turn < 8; turn += 1) {
    try {
      const signal = AbortSignal.timeout(4000);
      const response = await fetch(url, { method, headers, signal, body: body && JSON.stringify(body) });
      const text = await response.text();
      const { status } = response;
      if (status !== 429 && status < 500) return { status, body: status < 400 ? JSON.parse(text) : undefined };
      await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 + 40);
    } catch {
      const known = await lost();
      if (known) return known;
      await sleep(40 * (turn + 1));
    }
  }
  return { status: 0 };
}

async function ensureEndpoint() {
  const url = `http://127.0.0.1:${port}/events`;
  while (!secret) {
    const listed = await ask('GET', `${base}/v1/webhooks`);
    // One whose secret was lost with its answer is of no use.
    for (const each of listed.body?.webhooks ?? [])
      if (each.url === url) await ask('DELETE', `${base}/v1/webhooks/${each.id}`);
    const made = await ask('POST', `${base}/v1/webhooks`, { url, events: EVENTS, flow_id: flow }, () => ({
      status: 0,
    }));
    secret = made.body?.secret;
  }
}

/** Whoever looks while somebody does waits with that one, also where it is told to come again later. */
let sampling;
function samples() {
  sampling ??= readSamples().finally(() => {
    sampling = undefined;
  });
  return sampling;
}

/** What has been told of this flow of late, whether its delivery came or not. */
async function readSamples() {
  for (const type of EVENTS) {
    const { body } = await ask('GET', `${base}/v1/webhooks/samples?event=${type}&flow_id=${flow}`);
    const isKnown = ({ id }) => id.startsWith('evt_sample_') || [...inbox.values()].some((event) => event.id === id);
    for (const event of body?.events ?? []) if (!isKnown(event)) inbox.set(event.id, event);
  }
}

/** A run whose start was not answered tells of itself when it waits: its inputs name the post. */
async function isTaken(post) {
  for (let turn = 0; turn < 12; turn += 1) {
    await samples();
    if ([...inbox.values()].some(({ data }) => data.run.inputs.post === post.id)) return { status: 202 };
    await sleep(60);
  }
  return undefined;
}

async function start(post) {
  post.state = 'starting';
  const { status } = await ask('POST', hook, { post: post.id, topic: post.topic }, () => isTaken(post));
  if (status !== 202) post.state = 'refused';
  else if (post.state === 'starting') post.state = 'asked';
}

/** Takes what has come, each event once; one of a run ahead of its own start's answer finds its post all the same. */
function work() {
  for (const event of inbox.values()) {
    if (event.isDone) continue;
    const post = posts.get(event.data.run.inputs.post);
    if (post) take(post, event);
    event.isDone = true;
  }
}

function take(post, { type, data }) {
  if (post.state === 'published' || post.state === 'dropped') return;
  if (type === 'flow.run.succeeded') {
    post.state = 'published';
    published.push({ id: post.id, text: data.outputs[0].text });
  } else if (type === 'flow.run.failed') {
    post.state = 'dropped';
  } else {
    post.run = data.run.id;
    post.state = 'draft';
  }
}

/** The editor's click; a second one finds that nothing waits any more. */
async function click(id, choice) {
  const post = posts.get(id);
  if (post?.run) await ask('POST', `${base}/_emulator/runs/${post.run}/click`, { choice });
}

function isGenuine(header = '', body) {
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

function receive(request, body) {
  if (!secret || !isGenuine(request.headers['svc-signature'], body))
    return [400, { error: 'The signature does not fit.' }];
  const event = JSON.parse(body);
  if (EVENTS.includes(event.type) && !inbox.has(event.id)) inbox.set(event.id, event);
  work();
  return [204];
}

async function answer(request, body) {
  if (request.url === '/events') return receive(request, body);
  if (request.url === '/posts') {
    const post = { ...JSON.parse(body), state: 'new', run: null };
    posts.set(post.id, post);
    void ready.then(() => start(post));
  }
  if (request.url === '/click') {
    const { id, choice } = JSON.parse(body);
    await click(id, choice);
  }
  const told = [...posts.values()].map(({ id, state }) => ({ id, state }));
  return [200, { posts: told, published }];
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [status, body] = await answer(request, Buffer.concat(chunks));
  response.writeHead(status).end(body && JSON.stringify(body));
}).listen(Number(port), '127.0.0.1');
const ready = ensureEndpoint();

/** What does not come by itself is looked for. */
let isOpen = true;
const closing = new AbortController();
const rest = (milliseconds) => sleep(milliseconds, undefined, { signal: closing.signal }).catch(() => undefined);
async function look() {
  while (isOpen) {
    await rest(350);
    if (!isOpen || ![...posts.values()].some(({ state }) => ['asked', 'draft'].includes(state))) continue;
    await samples();
    work();
  }
}
const looking = look();

export async function close() {
  isOpen = false;
  closing.abort();
  server.closeAllConnections();
  server.close();
  await looking;
}
