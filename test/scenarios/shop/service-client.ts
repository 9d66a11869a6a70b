import { setTimeout as wait } from 'node:timers/promises';
import type { BadHabits } from './bad-habits.ts';

/** An order that nobody pays for, that was refused, or of which nobody knows what became. */
export class OrderFault extends Error {
  readonly kind: 'unpaid' | 'refused' | 'lost';

  constructor(kind: OrderFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface ServiceAddress {
  /** Ends in /v1. */
  baseUrl: string;
  apiKey: string;
}

export interface Job {
  id: string;
  status: string;
  seed?: number;
  result_url?: string;
}

const MAX_TRIES = 3;
/** A moment after which a failure may be over, in milliseconds. */
const MOMENT = 50;

/** What the shop knows of the service that makes its songs. */
export class ServiceClient {
  readonly #address: ServiceAddress;
  readonly #habits: BadHabits;
  readonly #timeoutMs: number;

  constructor(address: ServiceAddress, options: { habits: BadHabits; timeoutMs: number }) {
    this.#address = address;
    this.#habits = options.habits;
    this.#timeoutMs = options.timeoutMs;
  }

  /** Orders one song, whose job and events carry `seed`. Throws `OrderFault`: `lost` only where it may have been taken. */
  async orderSong(prompt: string, seed: number): Promise<Job> {
    const before = await this.#requestsMade();
    const order = { prompt, seed, seconds: 30, n: 1 };
    const isUntaken = async () => (await this.#requestsMade()) === before;
    const song = await this.#post<{ data: Job[] }>('/music/generations', order, { isUntaken });
    const [job] = song.data;
    if (!job) throw new OrderFault('refused', 'no take came back');
    return job;
  }

  /** Draws a cover, while the shop waits; answers where it lies. Throws `OrderFault`. */
  async drawCover(prompt: string): Promise<string | undefined> {
    const order = { prompt, response_format: 'url' };
    const { data } = await this.#post<{ data: { url: string }[] }>('/images/generations', order);
    return data[0]?.url;
  }

  /** Whose secret was lost with its answer is of no use, and goes. */
  async subscribe(url: string): Promise<{ id: string; secret: string }> {
    const events = ['music.generation.succeeded', 'music.generation.failed'];
    const clear = async () => {
      const { webhooks } = await this.#get<{ webhooks: { id: string; url: string }[] }>('/webhooks');
      for (const each of webhooks) if (each.url === url) await this.#remove(`/webhooks/${each.id}`);
      return true;
    };
    return this.#post('/webhooks', { url, events }, { isUntaken: clear });
  }

  /** What is gone already is gone. */
  async #remove(path: string, tries = 1): Promise<void> {
    const answer = await this.#send('DELETE', path).catch(() => undefined);
    if (answer?.ok || answer?.status === 404) return;
    if (tries >= MAX_TRIES) throw faultOf(answer);
    await wait(answer ? waitOf(answer) : MOMENT);
    await this.#remove(path, tries + 1);
  }

  readSong(id: string): Promise<Job> {
    return this.#get(`/music/generations/${id}`);
  }

  /** The last songs that the service has told of: a road to one whose order was not answered. */
  async lastSongs(): Promise<{ type: string; data: Job }[]> {
    const types = ['music.generation.succeeded', 'music.generation.failed'];
    const read = (type: string) =>
      this.#get<{ events: { id: string; type: string; data: Job }[] }>(`/webhooks/samples?event=${type}`);
    const samples = await Promise.all(types.map(read));
    return samples.flatMap(({ events }) => events).filter(({ id }) => !id.startsWith('evt_sample_'));
  }

  /** The whole file, or nothing. */
  async download(link: string): Promise<Buffer | undefined> {
    const answer = await fetch(link);
    const file = Buffer.from(await answer.arrayBuffer());
    if (answer.ok && file.length === Number(answer.headers.get('content-length'))) return file;
    await wait(1000 * Number(answer.headers.get('retry-after') ?? 0));
    return undefined;
  }

  /** How much was ordered so far. */
  async #requestsMade(): Promise<number> {
    return (await this.#get<{ usage_30d: { requests: number } }>('/account')).usage_30d.requests;
  }

  /** What only looks may be asked again, whatever became of it. */
  async #get<T>(path: string, tries = 1): Promise<T> {
    const answer = await this.#send('GET', path).catch(() => undefined);
    if (answer?.ok) return (await answer.json()) as T;
    if (tries >= MAX_TRIES) throw faultOf(answer);
    await wait(answer ? waitOf(answer) : MOMENT);
    return this.#get(path, tries + 1);
  }

  async #post<T>(path: string, body: object, { isUntaken, tries = 1 }: PostOptions = {}): Promise<T> {
    const answer = await this.#send('POST', path, body).catch(() => undefined);
    if (answer?.ok) return (await answer.json()) as T;
    if (!(await this.#mayTryAgain(answer, tries, isUntaken))) throw faultOf(answer);
    return this.#post(path, body, { isUntaken, tries: tries + 1 });
  }

  #send(method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.#address.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#address.apiKey}`,
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }

  /** What was refused, and not before it is told to. What was lost may have been made and paid: `isUntaken` looks. */
  async #mayTryAgain(answer: Response | undefined, tries: number, isUntaken = async () => false): Promise<boolean> {
    if (tries >= MAX_TRIES) return false;
    if (!answer) return this.#habits.repeatsLostOrders || isUntaken();
    if (answer.status === 402) return this.#habits.retries402 === true;
    if (answer.status !== 429 && answer.status < 500) return false;
    if (!this.#habits.ignoresRetryAfter) await wait(waitOf(answer));
    return true;
  }
}

interface PostOptions {
  /** Whether a request whose answer was lost has come to nothing. */
  isUntaken?: (() => Promise<boolean>) | undefined;
  tries?: number;
}

/** Milliseconds until it may be asked again. */
function waitOf(answer: Response): number {
  const seconds = answer.headers.get('retry-after');
  return seconds === null ? MOMENT : Number(seconds) * 1000;
}

function faultOf(answer: Response | undefined): OrderFault {
  if (!answer) return new OrderFault('lost', 'no answer came');
  if (answer.status === 402) return new OrderFault('unpaid', 'the credits are used up');
  return new OrderFault('refused', `the service answered ${answer.status}`);
}
