import { makeFlow, RUN_EVENTS, type Step } from '../support/flow-rig.ts';
import { CHAT, fileForm } from '../support/wire.ts';
import type { Answer, TestAccount, World } from '../support/world.ts';

/** The events at the end of every render, and all events of runs. */
export const EVENTS = [
  ...['image', 'video', 'music'].flatMap((kind) => [`${kind}.generation.succeeded`, `${kind}.generation.failed`]),
  ...RUN_EVENTS,
];

/** The expected charges of a request, by this file's own prices: operation and credits of each charge. */
export type Charges = readonly (readonly [operation: string, credits: number])[];

/** A sent request, and its response if one came. */
export interface Sent {
  charges: Charges;
  answer: Answer | undefined;
}

type Sending = [path: string, body: unknown, ...charges: Charges];

const SONG = { style: 'slow piano', instrumental: true, seconds: 30 };
const CLIP = { seconds: 4, resolution: '480p' };

type Order = (n: number, engine: string) => Sending;

/** Every operation that costs credits. `n` makes some renders new and every fourth one fail. */
export const QUICK_ORDERS: readonly Order[] = [
  (n) => ['/chat/completions', { ...CHAT, context: fails(n), stream: n % 2 === 0 }, ['chat.completion', 1]],
  (n) => {
    const store = n % 2 === 0;
    const body = { prompt: `pier ${n % 6}${fails(n)}`, store, response_format: n % 3 === 0 ? 'url' : 'b64_json' };
    return ['/images/generations', body, ['image.generation', store ? 12 : 10]];
  },
  (n) => ['/audio/speech', { input: `Hello ${n % 5}${fails(n)}`, voice: 'aria' }, ['audio.speech', 3]],
  (n) => {
    const body = { ...SONG, seed: n % 3, style: `piano${n % 4 === 3 ? '[[fail:take=2]]' : ''}` };
    return ['/music/generations', body, ['music.generation', 3], ['music.generation', 3]];
  },
  (n, model) => {
    const body = { ...CLIP, model, seed: n % 2, prompt: `a red boat${fails(n)}` };
    return ['/videos/generations', body, ['video.generation', 36]];
  },
  (n) => ['/storage/objects', fileForm(`hello ${n}`), ['storage.object', 2]],
];

/** Adds videos of the emulator's own engine, each of which takes as long as all of these. */
const ORDERS: readonly Order[] = [
  ...QUICK_ORDERS,
  (n) => {
    const store = n % 2 === 1;
    return [
      '/videos/generations',
      { prompt: `a harbour ${n % 2}${fails(n)}`, store },
      ['video.generation', store ? 102 : 100],
    ];
  },
];

const FLOW_CHARGES: Charges = [
  ['chat.completion', 1],
  ['image.generation', 10],
];
const FLOW_STEPS: Step[] = [
  { type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.', model: 'svc-rp-mini' } },
  { type: 'image', params: { prompt: '{{inputs.topic}}' } },
];

/** Sends orders of every kind in parallel, again and again, until `over` returns true or no response comes. */
export async function sendAll(
  account: TestAccount,
  load: { engine: string; first: number; over: (answered: number) => boolean; orders?: readonly Order[] },
): Promise<Sent[]> {
  const { engine, first, over } = load;
  const { world: here } = account;
  const sent: Sent[] = [];
  const goOn = async (send: (n: number) => { charges: Charges; answer: Promise<Answer> }) => {
    for (let n = first; !over(sent.length); n += 1) {
      const { charges, answer } = send(n);
      const each = { charges, answer: await answer.catch(() => undefined) };
      sent.push(each);
      if (!each.answer) return;
    }
  };
  const flow = await makeFlow(account, FLOW_STEPS).catch(() => undefined);
  const orders = (load.orders ?? ORDERS).map((order) => (n: number) => {
    const [path, body, ...charges] = order(n, engine);
    return { charges, answer: account.post(path, body) };
  });
  const runs = (n: number) => ({
    charges: FLOW_CHARGES,
    answer: here.call('POST', flow?.hook_url ?? '', { topic: `a mill ${n % 3}` }),
  });
  const saves = (n: number) => ({ charges: [], answer: here.control('POST', '/snapshots', { name: `s${n % 3}` }) });
  await Promise.all([...orders, ...(flow ? [runs] : []), saves].map(goOn));
  return sent;
}

function fails(n: number): string {
  return n % 4 === 3 ? ' [[fail]]' : '';
}

export async function engineM(here: World): Promise<string> {
  const models = (await here.control('GET', '/models')).body.data;
  return models.find(({ engine }: { engine?: { label: string } }) => engine?.label === 'M').id;
}

/** A stream of whole numbers that is the same for the same seed. */
export function* numbers(seed: number): Generator<number> {
  for (let state = seed * 2_654_435_761; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}
