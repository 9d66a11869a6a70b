import { fileForm } from '../support/wire.ts';
import type { TestAccount } from '../support/world.ts';
import { numbers } from './mixed-load.ts';

/** What one account has been answered so far, the newest last: addresses of jobs and of files, and ids of objects. */
export interface Seen {
  account: TestAccount;
  jobs: string[];
  urls: string[];
  objects: string[];
}

export type Request = [method: string, path: string, body?: unknown];

/** What an account does next: one request, written without ids, which it takes from its own earlier answers. */
export interface Step {
  kind: string;
  request(seen: Seen): Request;
}

interface Draw {
  /** In [0, 1). */
  next(): number;
  pick<T>(items: readonly T[]): T;
}

const SCENES = ['a lighthouse in fog', 'a red barn at dawn', 'a city in the rain', 'a storm at sea [[fail]]'];
const LINES = ['Hello there.', 'What do you see?', 'Shall we go on, then?', '[[fail]] Speak up.'];
const PATHS = ['/account', '/models', '/storage/objects', '/nowhere'];
const RULES: readonly { match: object; effect: object; probability?: number; times?: number; ttl_seconds?: number }[] =
  [
    { match: { path: '/v1/chat' }, effect: { status: 503 }, probability: 0.5, times: 3 },
    { match: { path: '/v1/chat' }, effect: { status: 429, retry_after: 2 } },
    { match: {}, effect: { fail_job: 'render_failed' }, times: 2, probability: 0.6 },
    { match: {}, effect: { webhook: 'bad_signature' } },
    { match: {}, effect: { webhook: 'duplicate' }, probability: 0.5, times: 0 },
    { match: { contains: 'barn' }, effect: { fail_job: 'engine_offline' }, ttl_seconds: 3600 },
    { match: {}, effect: { stream: { cut_after: 2 } } },
  ];

const post = (path: string, body: unknown): Step['request'] => {
  const request: Request = ['POST', `/v1${path}`, body];
  return () => request;
};

/** One of what was made so far, counted from the newest; `without` where there is none. */
const earlier = (without: string, { next }: Draw): ((seen: readonly string[]) => string) => {
  const which = Math.floor(next() * 4);
  return (seen) => seen.at(-1 - which) ?? without;
};

const KINDS: Record<string, (draw: Draw) => Step['request']> = {
  chat: ({ next, pick }) =>
    post('/chat/completions', {
      ...{ model: 'svc-rp-mini', stream: next() < 0.3 },
      messages: [{ role: 'user', content: pick(LINES) }],
    }),
  image: ({ next, pick }) =>
    post('/images/generations', {
      ...{ prompt: pick(SCENES), store: next() < 0.3 },
      response_format: pick(['b64_json', 'url']),
    }),
  speech: ({ pick }) => post('/audio/speech', { input: pick(LINES), voice: pick(['aria', 'orion']) }),
  song: ({ pick }) => post('/music/generations', { prompt: pick(SCENES), seconds: 30, n: pick([1, 2]) }),
  clip: ({ pick }) => post('/videos/generations', { prompt: pick(SCENES), seconds: pick([5, 6]) }),
  wrong: ({ pick }) => post('/chat/completions', pick<object>([{}, { model: 'svc-rp-mini', messages: [] }])),
  upload({ next }) {
    const bytes = 1 + Math.floor(next() * 5000);
    return post('/storage/objects', fileForm(new Uint8Array(bytes).fill(bytes % 251), `file-${bytes}.bin`));
  },
  read({ pick }) {
    const path = pick(PATHS);
    return () => ['GET', `/v1${path}`];
  },
  /** A rule of this account: it strikes nobody else. */
  fault({ pick }) {
    const rule = pick(RULES);
    return ({ account }) => [
      'POST',
      '/_emulator/faults',
      { ...rule, match: { ...rule.match, account_id: account.id } },
    ];
  },
  poll(draw) {
    const one = earlier('/v1/music/generations/job_none', draw);
    return ({ jobs }) => ['GET', one(jobs)];
  },
  fetch(draw) {
    const one = earlier('/v1/account', draw);
    return ({ urls }) => ['GET', one(urls)];
  },
  'delete-object'(draw) {
    const one = earlier('obj_none', draw);
    return ({ objects }) => ['DELETE', `/v1/storage/objects/${one(objects)}`];
  },
};

/** How often each kind of step comes, for accounts whose renders are waited for and for those that poll. */
const BOTH = { fetch: 4, read: 4, wrong: 2, fault: 3 };
const WAITING = { ...BOTH, chat: 10, image: 5, speech: 4, upload: 4, 'delete-object': 1 };
const POLLING = { ...BOTH, chat: 6, song: 6, clip: 3, poll: 12 };

/** The steps of one account: the same for the same seed. */
export function writeSteps(seed: number, count: number, polls: boolean): Step[] {
  const next = shares(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const bag = Object.entries(polls ? POLLING : WAITING).flatMap(([kind, weight]) => Array<string>(weight).fill(kind));
  return Array.from({ length: count }, () => {
    const kind = pick(bag);
    return { kind, request: KINDS[kind]?.({ next, pick }) ?? post('', {}) };
  });
}

/** Repeatable numbers in [0, 1). */
export function shares(seed: number): () => number {
  const random = numbers(seed);
  return () => random.next().value / 2 ** 24;
}
