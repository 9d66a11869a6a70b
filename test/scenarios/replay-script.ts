/** What an account does next: one request, told without ids, which it takes from its own earlier answers. */
export type Step =
  | { kind: 'chat'; stream: boolean; text: string }
  | { kind: 'image'; text: string; store: boolean; format: 'b64_json' | 'url' }
  | { kind: 'speech'; text: string; voice: 'aria' | 'orion' }
  | { kind: 'upload'; bytes: number }
  | { kind: 'song'; text: string; takes: 1 | 2 }
  | { kind: 'clip'; text: string; seconds: number }
  /** One of what was made so far, counted from the newest. */
  | { kind: 'poll' | 'fetch' | 'delete-object'; which: number }
  | { kind: 'read'; path: string }
  | { kind: 'wrong'; body: object }
  | { kind: 'fault'; rule: object };

export type Kind = Step['kind'];

/** Repeatable numbers in [0, 1): mulberry32. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How often each kind of step comes, for accounts whose renders are waited for and for those that poll. */
const WAITING: Partial<Record<Kind, number>> = {
  chat: 10,
  image: 5,
  speech: 4,
  upload: 4,
  fetch: 4,
  'delete-object': 1,
  read: 4,
  wrong: 2,
  fault: 3,
};
const POLLING: Partial<Record<Kind, number>> = {
  chat: 6,
  song: 6,
  clip: 3,
  poll: 12,
  fetch: 4,
  read: 4,
  wrong: 2,
  fault: 3,
};

const SCENES = ['a lighthouse in fog', 'a red barn at dawn', 'a city in the rain', 'a storm at sea [[fail]]'];
const LINES = ['Hello there.', 'What do you see?', 'Shall we go on, then?', '[[fail]] Speak up.'];
const PATHS = ['/account', '/models', '/storage/objects', '/nowhere'];
const RULES: readonly object[] = [
  { match: { path: '/v1/chat' }, effect: { status: 503 }, probability: 0.5, times: 3 },
  { match: { path: '/v1/chat' }, effect: { status: 429, retry_after: 2 } },
  { match: {}, effect: { fail_job: 'render_failed' }, times: 2, probability: 0.6 },
  { match: {}, effect: { webhook: 'bad_signature' } },
  { match: {}, effect: { webhook: 'duplicate' }, probability: 0.5, times: 0 },
  { match: { contains: 'barn' }, effect: { fail_job: 'engine_offline' }, ttl_seconds: 3600 },
  { match: {}, effect: { stream: { cut_after: 2 } } },
];

/** The steps of one account: the same for the same seed. */
export function writeSteps(seed: number, count: number, polls: boolean): Step[] {
  const next = numbers(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const bag = Object.entries(polls ? POLLING : WAITING).flatMap(([kind, weight]) =>
    Array.from({ length: weight }, () => kind as Kind),
  );
  return Array.from({ length: count }, () => stepOf(pick(bag), next, pick));
}

function stepOf(kind: Kind, next: () => number, pick: <T>(items: readonly T[]) => T): Step {
  const which = Math.floor(next() * 4);
  switch (kind) {
    case 'chat':
      return { kind, stream: next() < 0.3, text: pick(LINES) };
    case 'image':
      return { kind, text: pick(SCENES), store: next() < 0.3, format: pick(['b64_json', 'url']) };
    case 'speech':
      return { kind, text: pick(LINES), voice: pick(['aria', 'orion']) };
    case 'upload':
      return { kind, bytes: 1 + Math.floor(next() * 5000) };
    case 'song':
      return { kind, text: pick(SCENES), takes: pick([1, 2]) };
    case 'clip':
      return { kind, text: pick(SCENES), seconds: pick([5, 6]) };
    case 'read':
      return { kind, path: pick(PATHS) };
    case 'wrong':
      return { kind, body: pick<object>([{}, { model: 'svc-rp-mini', messages: [] }]) };
    case 'fault':
      return { kind, rule: pick(RULES) };
    default:
      return { kind, which };
  }
}
