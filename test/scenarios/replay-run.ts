import { createHash } from 'node:crypto';
import type { Received, Receiver } from '../support/receiver.ts';
import { fileForm } from '../support/wire.ts';
import type { TestAccount, World } from '../support/world.ts';
import type { Step } from './replay-script.ts';

/** What one account did and got, so that two runs can be compared. */
export interface Trace {
  answers: string[];
  ledger: unknown[];
  events: unknown[];
  deliveries: unknown[];
  library: unknown[];
  jobs: unknown[];
  faults: unknown[];
  endpoints: string;
  received: unknown[];
}

/** One account at work: takes the ids that its steps need from the answers it got. */
export class Player {
  readonly account: TestAccount;
  readonly answers: string[] = [];
  readonly #world: World;
  readonly #receiver: Receiver;
  readonly #jobs: string[] = [];
  readonly #urls: string[] = [];
  readonly #objects: string[] = [];

  constructor(world: World, account: TestAccount, receiver: Receiver) {
    this.#world = world;
    this.#receiver = receiver;
    this.account = account;
  }

  /** One after another: the order of an account's own requests is part of the script. */
  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) this.answers.push(await this.#act(step));
  }

  async trace(): Promise<Trace> {
    const { id } = this.account;
    const list = async (path: string) => {
      const { body } = await this.#world.control('GET', `${path}?account_id=${id}`);
      return JSON.parse(this.#plain(JSON.stringify(body.data))) as Record<string, unknown>[];
    };
    const deliveries = await list('/deliveries');
    return {
      answers: this.answers,
      ledger: await this.account.entries(),
      events: await list('/events'),
      deliveries: deliveries.map(withoutRealTime),
      library: await list('/library'),
      jobs: await list('/jobs'),
      faults: await list('/faults'),
      endpoints: await this.#endpoints(),
      received: this.#receiver.requests
        .filter(({ path }) => path === `/${id}`)
        .map((request) => this.#receipt(request)),
    };
  }

  /** How long the network took to deliver is its own affair: the clock may have moved on by then. */
  async #endpoints(): Promise<string> {
    const { bytes } = await this.account.get('/webhooks');
    return this.#plain(bytes.toString()).replace(/"lastDeliveryAt":"[^"]+"/g, '"lastDeliveryAt":"…"');
  }

  /** What came, but for the time of its signature. */
  #receipt({ headers, body }: Received): unknown {
    return [headers['svc-emulator-event'], headers['svc-emulator-delivery'], this.#plain(body)];
  }

  async #act(step: Step): Promise<string> {
    try {
      const response = await this.#send(step);
      const bytes = Buffer.from(await response.arrayBuffer());
      const isText = /json|event-stream/.test(response.headers.get('content-type') ?? '');
      const text = isText ? this.#plain(bytes.toString()) : hash(bytes);
      this.#learn(isText ? bytes.toString() : '');
      return `${step.kind} ${response.status} ${text}`;
    } catch {
      // How much of it had been read when it was cut is the network's affair.
      return `${step.kind} cut`;
    }
  }

  #send(step: Step): Promise<Response> {
    switch (step.kind) {
      case 'chat':
        return this.#post('/chat/completions', {
          model: 'svc-rp-mini',
          stream: step.stream,
          messages: [{ role: 'user', content: step.text }],
        });
      case 'image':
        return this.#post('/images/generations', {
          prompt: step.text,
          store: step.store,
          response_format: step.format,
        });
      case 'speech':
        return this.#post('/audio/speech', { input: step.text, voice: step.voice });
      case 'song':
        return this.#post('/music/generations', { prompt: step.text, seconds: 30, n: step.takes });
      case 'clip':
        return this.#post('/videos/generations', { prompt: step.text, seconds: step.seconds });
      case 'wrong':
        return this.#post('/chat/completions', step.body);
      case 'upload':
        return this.#upload(step.bytes);
      case 'fault':
        return this.#addRule(step.rule);
      case 'read':
        return this.#get(`${this.#world.url}/v1${step.path}`);
      default:
        return this.#lookBack(step);
    }
  }

  #lookBack({ kind, which }: { kind: Step['kind']; which: number }): Promise<Response> {
    const base = `${this.#world.url}/v1`;
    if (kind === 'fetch') return this.#get(this.#urls.at(-1 - which) ?? `${base}/account`);
    if (kind === 'poll') return this.#get(base + (this.#jobs.at(-1 - which) ?? '/music/generations/job_none'));
    const path = `/storage/objects/${this.#objects.at(-1 - which) ?? 'obj_none'}`;
    return fetch(base + path, { method: 'DELETE', headers: this.account.headers });
  }

  #get(url: string): Promise<Response> {
    return fetch(url, { headers: this.account.headers });
  }

  #post(path: string, body: object): Promise<Response> {
    return fetch(`${this.#world.url}/v1${path}`, {
      method: 'POST',
      headers: { ...this.account.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  #upload(bytes: number): Promise<Response> {
    return fetch(`${this.#world.url}/v1/storage/objects`, {
      method: 'POST',
      headers: this.account.headers,
      body: fileForm(new Uint8Array(bytes).fill(bytes % 251), `file-${bytes}.bin`),
    });
  }

  /** A rule of this account: it strikes nobody else. */
  #addRule(rule: object & { match?: object }): Promise<Response> {
    const match = { ...rule.match, account_id: this.account.id };
    return fetch(`${this.#world.url}/_emulator/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...rule, match }),
    });
  }

  #learn(text: string): void {
    for (const [, id] of text.matchAll(/"id":"(job_\w+)","object":"music/g))
      this.#jobs.push(`/music/generations/${id}`);
    for (const [, id] of text.matchAll(/"id":"(job_\w+)","object":"video/g))
      this.#jobs.push(`/videos/generations/${id}`);
    for (const [, url] of text.matchAll(/"(?:result_)?url":"(http[^"]+\/cdn\/[^"]+)"/g)) this.#urls.push(String(url));
    for (const [, id] of text.matchAll(/"id":"(obj_\w+)"/g)) this.#objects.push(String(id));
  }

  /** Without what says on which ports the emulator and the receiver happen to listen. */
  #plain(text: string): string {
    return text.replaceAll(this.#world.url, 'BASE').replaceAll(this.#receiver.origin, 'RECEIVER');
  }
}

function withoutRealTime(delivery: Record<string, unknown>): object {
  const { attempted_at, duration_ms, signature, ...rest } = delivery;
  return rest;
}

export function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
