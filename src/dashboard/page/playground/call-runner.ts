import { withKey } from '../data/account-and-clock.ts';
import { browserNow, later, PageStore } from '../data/browser.ts';
import { callService, fetchApi } from '../data/call-api.ts';
import type { Job } from '../data/records.ts';
import { type DraftedCall, requestOf } from './drafted-call.tsx';

/** How far a call is, and what has come of it. */
export interface CallState {
  phase: 'idle' | 'sending' | 'streaming' | 'following' | 'done';
  status: number | undefined;
  requestId: string | null;
  /** What the headers say of fields that were ignored. */
  warnings: string | null;
  dropped: string | null;
  credits: number | undefined;
  /** Milliseconds: to the first piece of a stream, and to the end. */
  firstAfter: number | undefined;
  duration: number | undefined;
  /** What has streamed in. */
  text: string;
  json: unknown;
  /** What is no JSON: a sound. */
  file: Blob | undefined;
  jobs: Job[];
  error: unknown;
}

const IDLE: CallState = {
  ...{ phase: 'idle', text: '', jobs: [], requestId: null, warnings: null, dropped: null },
  ...{ status: undefined, credits: undefined, firstAfter: undefined, duration: undefined },
  ...{ json: undefined, file: undefined, error: undefined },
};

/** How long after an answer a job is asked for again, in milliseconds. */
const AGAIN = 700;

/** Sends one call at a time and publishes its progress: streamed text, and the state of its jobs. */
export class CallRunner extends PageStore<CallState> {
  #ending = new AbortController();

  constructor() {
    super(IDLE);
  }

  /** Sends a call as an account, and follows it to its end. */
  async send(call: DraftedCall, accountId: string): Promise<void> {
    this.stop();
    const { signal } = this.#ending;
    this.set({ ...IDLE, phase: 'sending' });
    try {
      await withKey(accountId, (key) => this.#run(call, key, signal));
    } catch (error) {
      if (!signal.aborted) this.#update({ error });
    }
    if (!signal.aborted) this.#update({ phase: 'done' });
  }

  /** Leaves what is under way to itself, and forgets what it was. */
  stop(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.set(IDLE);
  }

  async #run(call: DraftedCall, key: string, signal: AbortSignal): Promise<void> {
    const began = browserNow();
    const response = await fetchApi(call.path, { ...requestOf(call, key), signal });
    const { status, headers } = response;
    this.#update({
      status,
      requestId: headers.get('x-request-id'),
      warnings: headers.get('svc-emulator-warnings'),
      dropped: headers.get('svc-emulator-dropped'),
      credits: numberOf(headers.get('svc-emulator-credits-spent')),
    });
    const type = headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) await this.#stream(response, began);
    else if (type.startsWith('application/json')) await this.#take(response);
    else this.#update({ file: await response.blob() });
    this.#update({ duration: browserNow() - began });
    if (status === 202) await this.#follow(call, key, signal);
  }

  async #stream(response: Response, began: number): Promise<void> {
    this.#update({ phase: 'streaming' });
    for await (const { text, usage } of readStream(response)) {
      const { firstAfter = browserNow() - began } = this.value;
      this.#update({ firstAfter, text: this.value.text + text });
      if (usage) this.#update({ credits: usage.credits_spent, json: { usage } });
    }
  }

  async #take(response: Response): Promise<void> {
    const json = await response.json();
    this.#update({ json, credits: json.usage?.credits_spent ?? this.value.credits });
    if (response.status !== 202) return;
    const jobs: Job[] = Array.isArray(json.data) ? json.data : [json];
    this.#update({ phase: 'following', jobs });
  }

  /** Polls as a client does, until each job has come to its end. */
  async #follow({ path }: DraftedCall, key: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.value.jobs.every(isFinal)) {
      await new Promise<void>((resolve) => later(AGAIN, resolve));
      const looks = this.value.jobs.map((job) =>
        isFinal(job) ? job : callService<Job>('GET', `${path.slice(3)}/${job.id}`, { key }),
      );
      const jobs = await Promise.all(looks);
      if (!signal.aborted) this.#update({ jobs });
    }
  }

  #update(news: Partial<CallState>): void {
    this.set({ ...this.value, ...news });
  }
}

export function isFinal({ status }: Job): boolean {
  return status === 'succeeded' || status === 'failed';
}

function numberOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text);
}

interface Piece {
  text: string;
  usage: { credits_spent: number; credits_remaining: number } | undefined;
}

/** The pieces of a streamed reply as they come. Throws where the stream is cut or no JSON. */
async function* readStream(response: Response): AsyncGenerator<Piece> {
  for await (const line of linesOf(response)) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    const { choices = [], usage, error } = JSON.parse(line.slice('data: '.length));
    if (error) throw new Error(error.message);
    yield { text: choices[0]?.delta?.content ?? '', usage };
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const held: string[] = [''];
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const [first = '', ...rest] = value.split('\n');
    held.push((held.pop() ?? '') + first, ...rest);
    yield* held.splice(0, held.length - 1);
  }
}

/** Whether an answer is plain data, shown as JSON only. */
export function isData({ json, text, jobs }: CallState): boolean {
  const known = ['error', 'choices', 'text'];
  const { usage, ...rest } = json as Record<string, unknown>;
  const isMade = usage !== undefined && Array.isArray(rest.data);
  return text === '' && jobs.length === 0 && !isMade && !known.some((name) => name in rest);
}
