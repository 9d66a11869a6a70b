// The worker process: `node worker.js` empties the queue until it is told to stop.
import { setTimeout as wait } from 'node:timers/promises';
import OpenAI from 'openai';
import { openQueue } from './queue.js';

const MAX_ATTEMPTS = 5;
const { QUEUE_FILE = 'greetings.db', TIMEOUT_MS = '20000' } = process.env;

// The queue decides what is tried again: the client would also repeat a request that may have been charged.
const openai = new OpenAI({
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
  maxRetries: 0,
  timeout: Number(TIMEOUT_MS),
});
const queue = openQueue(QUEUE_FILE);

async function write({ name, occasion }) {
  const { choices } = await openai.chat.completions.create({
    model: 'svc-rp-mini',
    mode: 'messaging',
    messages: [{ role: 'user', content: `Say one kind sentence to ${name}, for the ${occasion}.` }],
  });
  return choices[0].message.content.slice(0, 100);
}

async function speak(text) {
  const speech = await openai.audio.speech.create({ model: 'svc-voice-one', voice: 'orion', input: text });
  return Buffer.from(await speech.arrayBuffer());
}

/** Writes the text, then the audio. A text that was written is kept, so a second attempt does not pay for it again. */
async function work(task) {
  let { text } = task;
  if (text === null) {
    text = await write(task);
    queue.keepText(task.id, text);
  }
  queue.finish(task.id, await speak(text));
}

/** After 429 and 5xx nothing stays charged, so the task is queued again. Anything else is final. */
function giveUpOrPostpone(task, error) {
  const isBusy = error.status === 429 || error.status >= 500;
  if (isBusy && task.attempts < MAX_ATTEMPTS) {
    queue.postpone(task.id, Number(error.headers.get('retry-after') ?? task.attempts));
  } else {
    queue.fail(task.id, error.code ?? 'no_response');
  }
}

let isStopped = false;
process.once('SIGTERM', () => {
  isStopped = true;
});

while (!isStopped) {
  const task = queue.take();
  if (task) await work(task).catch((error) => giveUpOrPostpone(task, error));
  else await wait(50);
}
queue.close();
