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
}

const MOST_TRIES = 3;

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

  /** Orders one song. Throws `OrderFault`. */
  async orderSong(prompt: string): Promise<Job> {
    const order = { prompt, seconds: 30, n: 1 };
    const song = await this.#post<{ data: Job[] }>('/music/generations', order);
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

  subscribe(url: string): Promise<{ id: string; secret: string }> {
    const events = ['music.generation.succeeded', 'music.generation.failed'];
    return this.#post('/webhooks', { url, events });
  }

  async readSong(id: string): Promise<Job> {
    const answer = await fetch(`${this.#address.baseUrl}/music/generations/${id}`, {
      headers: { authorization: `Bearer ${this.#address.apiKey}` },
    });
    return (await answer.json()) as Job;
  }

  async #post<T>(path: string, body: object, tries = 1): Promise<T> {
    const answer = await this.#send(path, body).catch(() => undefined);
    if (answer?.ok) return (await answer.json()) as T;
    if (!(await this.#mayTryAgain(answer, tries))) throw faultOf(answer);
    return this.#post(path, body, tries + 1);
  }

  #send(path: string, body: object): Promise<Response> {
    return fetch(this.#address.baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#address.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }

  /** Only what the service asks to repeat, and not before it says. What was lost may have been made and paid. */
  async #mayTryAgain(answer: Response | undefined, tries: number): Promise<boolean> {
    if (tries >= MOST_TRIES) return false;
    if (!answer) return this.#habits.repeatsLostOrders === true;
    if (answer.status === 402) return this.#habits.retries402 === true;
    if (answer.status !== 429 && answer.status !== 503) return false;
    const seconds = Number(answer.headers.get('retry-after') ?? 1);
    if (!this.#habits.ignoresRetryAfter) await wait(seconds * 1000);
    return true;
  }
}

function faultOf(answer: Response | undefined): OrderFault {
  if (!answer) return new OrderFault('lost', 'no answer came');
  if (answer.status === 402) return new OrderFault('unpaid', 'the credits are used up');
  return new OrderFault('refused', `the service answered ${answer.status}`);
}
