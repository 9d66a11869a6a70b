import { makeFlow } from '../support/flow-rig.ts';
import { CHAT } from '../support/wire.ts';
import type { Answer, TestAccount } from '../support/world.ts';

/** What a request is charged when it is begun, by a price list of its own: operation and credits, one for each charge. */
export type Charges = readonly (readonly [operation: string, credits: number])[];

interface PricedOrder {
  path: string;
  body: unknown;
  charges: Charges;
}

/** A request that was sent, and what came back; undefined when nobody was left to answer. */
export interface Sent {
  charges: Charges;
  answer: Answer | undefined;
}

const SONG = { style: 'slow piano', instrumental: true, seconds: 30 };
const CHAT_CHARGE = [['chat.completion', 1]] as const;

/** Everything that costs, synchronous and not, stored and not; every fourth fails. */
const ORDERS: ((n: number, engine: string) => PricedOrder)[] = [
  (n) => ({
    path: '/chat/completions',
    body: { ...CHAT, context: fails(n), stream: n % 2 === 0 },
    charges: CHAT_CHARGE,
  }),
  (n) => {
    const store = n % 2 === 0;
    const body = { prompt: `pier ${n % 6}${fails(n)}`, store, response_format: n % 3 === 0 ? 'url' : 'b64_json' };
    return { path: '/images/generations', body, charges: [['image.generation', store ? 12 : 10]] };
  },
  (n) => {
    const body = { prompt: `a harbour ${n % 2}${fails(n)}`, store: n % 2 === 1 };
    return { path: '/videos/generations', body, charges: [['video.generation', n % 2 === 1 ? 102 : 100]] };
  },
  (n) => ({
    path: '/audio/speech',
    body: { input: `Hello ${n % 5}${fails(n)}`, voice: 'aria' },
    charges: [['audio.speech', 3]],
  }),
  (n) => ({
    path: '/music/generations',
    body: { ...SONG, seed: n % 3, style: `piano${n % 4 === 3 ? '[[fail:take=2]]' : ''}` },
    charges: [
      ['music.generation', 3],
      ['music.generation', 3],
    ],
  }),
  (n, engine) => ({
    path: '/videos/generations',
    body: { model: engine, seconds: 4, resolution: '480p', seed: n % 2, prompt: `a red boat${fails(n)}` },
    charges: [['video.generation', 36]],
  }),
  (n) => ({ path: '/storage/objects', body: upload(`hello ${n}`), charges: [['storage.object', 2]] }),
];

const FLOW_CHARGES: Charges = [
  ['chat.completion', 1],
  ['image.generation', 10],
];
const FLOW_STEPS = [
  { type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.', model: 'svc-rp-mini' } },
  { type: 'image', params: { prompt: '{{inputs.topic}}' } },
];

/** Sends orders of every kind at once, over and over, until `over` is true or nobody answers. */
export async function sendAll(
  account: TestAccount,
  { engine, first, over }: { engine: string; first: number; over: (answered: number) => boolean },
): Promise<Sent[]> {
  const sent: Sent[] = [];
  let answered = 0;
  const goOn = async (send: (n: number) => Promise<Sent>) => {
    for (let n = first; !over(answered); n += 1) {
      const each = await send(n);
      sent.push(each);
      if (!each.answer) return;
      answered += 1;
    }
  };
  const flow = await makeFlow(account, FLOW_STEPS).catch(() => undefined);
  const orders = ORDERS.map((order) => (n: number) => sendOne(account, order(n, engine)));
  const runs = async (n: number) => ({
    charges: FLOW_CHARGES,
    answer: await account.world.call('POST', flow?.hook_url ?? '', { topic: `a mill ${n % 3}` }).catch(() => undefined),
  });
  const saves = async (n: number) => ({
    charges: [],
    answer: await account.world.control('POST', '/snapshots', { name: `s${n % 3}` }).catch(() => undefined),
  });
  await Promise.all([...orders, ...(flow ? [runs] : []), saves].map(goOn));
  return sent;
}

async function sendOne(account: TestAccount, { path, body, charges }: PricedOrder): Promise<Sent> {
  return { charges, answer: await account.post(path, body).catch(() => undefined) };
}

function fails(n: number): string {
  return n % 4 === 3 ? ' [[fail]]' : '';
}

function upload(text: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([text]), 'hello.txt');
  return form;
}
