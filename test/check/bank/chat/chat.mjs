// A chat front end: it passes each message on, streams the reply, and shows how many credits are left.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from '../plain-fetch.mjs';

const settings = { ...process.env, ...Object.fromEntries(new URL(import.meta.url).searchParams) };
const { SVC_BASE_URL: base, SVC_API_KEY: key, PORT: port } = settings;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const messages = new Map();
let shown;

/** Chatting only spends: of two balances the lower one is the newer. */
function show(credits) {
  shown = Math.min(shown ?? credits, credits);
}

/** One look at a time: who is told to come again later speaks for all, and each sees what was paid before it. */
let lastLook = Promise.resolve();
function account() {
  lastLook = lastLook.then(readAccount);
  return lastLook;
}

/** What was refused before any work is asked again, when it says so. */
async function readAccount() {
  for (let turn = 0; turn < 7; turn += 1) {
    try {
      const response = await fetch(`${base}/v1/account`, { headers, signal: AbortSignal.timeout(5000) });
      if (response.ok) return await response.json();
      await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 + 40);
    } catch {
      await sleep(40);
    }
  }
  return undefined;
}

async function refresh() {
  const now = await account();
  if (now) show(now.credits);
}

/** Sends a message. One whose connection is lost may be paid: whether it is sent again, its writer decides. */
async function send(message) {
  for (let turn = 0; turn < 7; turn += 1) {
    let response;
    try {
      const body = {
        model: 'svc-rp-mini',
        stream: true,
        max_tokens: 12,
        messages: [{ role: 'user', content: message.said }],
      };
      response = await fetch(`${base}/v1/chat/completions`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(3000) },
      });
    } catch {
      await refresh();
      return 'lost';
    }
    if (response.status === 402) return 'unpaid';
    if (response.ok) return read(response, message);
    await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 + 40);
  }
  return 'refused';
}

/** Takes one piece of a reply; answers whether it was the last. */
function take({ choices: [choice], usage }, message) {
  message.reply += choice?.delta.content ?? '';
  if (usage) show(usage.credits_remaining);
  return Boolean(choice?.finish_reason);
}

/** Reads the reply as it comes: it is whole when the reason of its end has come, whatever becomes of the connection then. */
async function read(response, message) {
  let rest = '';
  let isWhole = false;
  try {
    for await (const chunk of response.body.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
        isWhole = take(JSON.parse(line.slice(6)), message) || isWhole;
      }
    }
  } catch {
    // What has come stays.
  }
  if (isWhole) return 'whole';
  await refresh();
  return 'partial';
}

/** A message is sent once, however often its button is pressed. */
function say({ id, said }) {
  const known = messages.get(id);
  if (known) return known.done;
  const message = { said, reply: '', state: 'open' };
  messages.set(id, message);
  message.done = send(message).then((state) => {
    message.state = state;
  });
  return message.done;
}

async function answer(request, body) {
  if (request.url === '/say') await say(JSON.parse(body));
  if (request.url === '/open') await refresh();
  const told = [...messages].map(([id, { said, reply, state }]) => ({ id, said, reply, state }));
  return { credits: shown ?? null, messages: told };
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.end(JSON.stringify(await answer(request, Buffer.concat(chunks))));
}).listen(Number(port), '127.0.0.1');

export async function close() {
  server.closeAllConnections();
  server.close();
  await Promise.all([...messages.values()].map(({ done }) => done));
}
