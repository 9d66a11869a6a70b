import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import OpenAI from 'openai';

const PAGE = new URL('./page.html', import.meta.url);
const MAX_ATTEMPTS = 4;
const MAX_BODY = 100_000;

/** A server with a page, `GET /balance`, and `POST /chat`, which streams a reply as lines of JSON. */
export function chatServer({ baseURL, apiKey, timeoutMs = 30_000 }) {
  // A chat that is sent twice is paid twice, so the client must not repeat a request after a lost response.
  const client = new OpenAI({ baseURL, apiKey, timeout: timeoutMs, maxRetries: 0 });
  const routes = {
    'GET /': async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(await readFile(PAGE));
    },
    'GET /balance': async (_request, response) => {
      // Reading is free, so here retries do no harm.
      const { credits } = await client.get('/account', { maxRetries: MAX_ATTEMPTS - 1 });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ credits }));
    },
    'POST /chat': async (request, response) => {
      const messages = await readMessages(request);
      if (!messages) return response.writeHead(400).end();
      return streamReply(client, messages, response);
    },
  };
  return createServer((request, response) => {
    const route = routes[`${request.method} ${request.url}`];
    if (!route) return response.writeHead(404).end();
    return route(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
  });
}

async function readMessages(request) {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_BODY) return undefined;
  }
  try {
    const { messages } = JSON.parse(text);
    return Array.isArray(messages) && messages.length > 0 ? messages : undefined;
  } catch {
    return undefined;
  }
}

/** Writes `{"text"}` for each part, and `{"credits"}` after a whole reply. A reply that is cut off breaks the connection. */
async function streamReply(client, messages, response) {
  const stop = new AbortController();
  // The reader has gone: nobody needs the rest of the reply.
  response.on('close', () => stop.abort());
  try {
    const stream = await startChat(client, messages, stop.signal);
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    const write = (line) => response.write(`${JSON.stringify(line)}\n`);
    write({ credits: await forward(stream, write) });
    response.end();
  } catch (error) {
    if (response.headersSent) return response.destroy();
    const { status, message } = failureOf(error);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: message }));
  }
}

/** Forwards all text. Returns the balance, or throws if the stream ended before the reply did. */
async function forward(stream, write) {
  let credits;
  for await (const { choices, usage } of stream) {
    const [choice] = choices;
    if (choice?.delta.content) write({ text: choice.delta.content });
    if (choice?.finish_reason) credits = usage?.credits_remaining ?? null;
  }
  if (credits === undefined) throw new Error('The stream ended early.');
  return credits;
}

/** Starts a chat. It is sent again only if the service said that it did nothing. */
async function startChat(client, messages, signal) {
  const chat = { model: 'svc-rp-mini', mode: 'messaging', stream: true, messages };
  for (let left = MAX_ATTEMPTS - 1; ; left--) {
    try {
      return await client.chat.completions.create(chat, { signal });
    } catch (error) {
      const isBusy = error.status === 429 || error.status >= 500;
      if (!isBusy || left === 0) throw error;
      await wait(Number(error.headers.get('retry-after') ?? 0.5) * 1000, undefined, { signal });
    }
  }
}

function failureOf(error) {
  if (error.status === 402) return { status: 402, message: 'There are no credits left.' };
  if (error.status) return { status: 503, message: 'The service cannot reply now. Nothing was charged.' };
  return { status: 502, message: 'The reply was lost. It may have been charged.' };
}
