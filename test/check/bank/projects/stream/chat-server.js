import { setTimeout as wait } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  convertToModelMessages,
  createIdGenerator,
  createUIMessageStream,
  pipeUIMessageStreamToResponse,
  streamText,
} from 'ai';
import Database from 'better-sqlite3';
import express from 'express';

const MAX_ATTEMPTS = 4;
const SYSTEM = 'You keep a lighthouse. You like short sentences.';
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    position INTEGER PRIMARY KEY,
    chat TEXT NOT NULL,
    id TEXT NOT NULL,
    message TEXT NOT NULL,
    UNIQUE (chat, id)
  );
`;

/** Repeats a request that the service did not carry out. After a lost connection it may have been charged. */
async function patientFetch(input, init) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(input, init);
    const isBusy = response.status === 429 || response.status >= 500;
    if (!isBusy || attempt === MAX_ATTEMPTS) return response;
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after') ?? attempt);
    await wait(seconds * 1000, undefined, { signal: init?.signal });
  }
}

function openHistory(file) {
  const db = new Database(file);
  db.exec(SCHEMA);
  const insert = db.prepare('INSERT OR IGNORE INTO messages (chat, id, message) VALUES (?, ?, ?)');
  return {
    add: db.transaction((chat, messages) => {
      for (const message of messages) insert.run(chat, message.id, JSON.stringify(message));
    }),
    read: (chat) =>
      db
        .prepare('SELECT message FROM messages WHERE chat = ? ORDER BY position')
        .all(chat)
        .map(({ message }) => JSON.parse(message)),
    close: () => db.close(),
  };
}

/** What the person at the browser may know of an error. */
function describe(error) {
  if (error?.statusCode === 402) return 'The lighthouse has no credits left.';
  return 'The reply was lost on the way.';
}

/** The browser shows an error, but would take a stream that was aborted for a whole reply. */
function abortsAsErrors() {
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.type === 'abort' ? { type: 'error', errorText: describe() } : chunk);
    },
  });
}

/** A chat whose replies are streamed to the browser, where `useChat` shows them. Whole replies are kept. */
export function chatServer({ baseURL, apiKey, file = ':memory:', timeoutMs = 30_000 }) {
  const history = openHistory(file);
  const provider = createOpenAICompatible({
    name: 'svc',
    baseURL,
    apiKey,
    includeUsage: true,
    fetch: patientFetch,
  });
  const app = express();
  app.use(express.json());

  app.post('/api/chat', async (request, response) => {
    const { id, message } = request.body;
    if (typeof id !== 'string' || message?.role !== 'user') return response.sendStatus(400);
    history.add(id, [message]);
    const messages = history.read(id);

    // A reader who leaves ends the stream; so does a service that stays silent.
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const result = streamText({
      model: provider('svc-rp-mini'),
      system: SYSTEM,
      messages: await convertToModelMessages(messages),
      // `patientFetch` retries. The SDK would also repeat what may have been charged.
      maxRetries: 0,
      abortSignal: AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)]),
      onError: ({ error }) => console.error(`chat ${id}: ${error.message}`),
    });
    const stream = createUIMessageStream({
      originalMessages: messages,
      generateId: createIdGenerator({ prefix: 'msg', size: 16 }),
      onError: describe,
      // A merged stream that breaks becomes an error for the browser. Piped to the response, it would just end.
      execute: ({ writer }) =>
        writer.merge(result.toUIMessageStream({ onError: describe }).pipeThrough(abortsAsErrors())),
      onFinish: ({ responseMessage, finishReason }) => {
        if (finishReason === 'stop' || finishReason === 'length') history.add(id, [responseMessage]);
      },
    });
    await pipeUIMessageStreamToResponse({ response, stream });
  });

  app.get('/api/chats/:id', (request, response) => {
    response.json(history.read(request.params.id));
  });

  app.get('/api/balance', async (_request, response) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const signal = AbortSignal.timeout(timeoutMs);
    const read = () => patientFetch(`${baseURL}/account`, { headers, signal }).then((account) => account.json());
    // Reading is free, so one more attempt does no harm.
    const { credits } = await read().catch(read);
    response.json({ credits });
  });

  app.locals.close = history.close;
  return app;
}
