import { expect, it } from 'vitest';
import { ExploreFindings, explore, type StoryParts } from '../../../src/index.ts';

/** Two takes of one song. */
const SONG = {
  path: '/music/generations',
  orders: [{ model: 'svc-music-one', prompt: 'rain', seconds: 30, seed: 7 }],
  events: ['music.generation.succeeded', 'music.generation.failed'],
};
/** Two pictures, of which each is rendered in a tenth of the time. */
const PICTURES = {
  path: '/images/generations',
  orders: [{ prompt: 'a pier' }, { prompt: 'a mug' }],
  events: ['image.generation.succeeded'],
};

interface Medium {
  path: string;
  orders: object[];
  events: string[];
}

interface DeliveredEvent {
  id: string;
  type: string;
  data: { id: string; result_url?: string };
}

/** Orders what makes two events, waits for these, and books each. `book` is what a client makes of them. */
function buying({ path, orders, events }: Medium, book: (booked: string[], event: DeliveredEvent) => void) {
  return async ({ emulator, account, inbox }: StoryParts) => {
    const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      fetch(`${emulator.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    await post('/webhooks', { url: inbox.url, events });
    for (const order of orders) expect((await post(path, order)).ok).toBe(true);
    await emulator.waitFor.idle({ accountId: account.id });
    const booked: string[] = [];
    const messages = await inbox.messages();
    for (const { body, signature } of messages) if (signature.verified) book(booked, JSON.parse(String(body)));
    expect(booked).toHaveLength(2);
  };
}

const bookOnce = (booked: string[], { data }: DeliveredEvent) => {
  if (!booked.includes(data.id)) booked.push(data.id);
};
const careful = buying(SONG, bookOnce);
const collecting = buying(PICTURES, bookOnce);
const careless = buying(PICTURES, (booked, { data }) => booked.push(data.id));
const of = { only: ['duplicate', 'reorder', 'take_fails', 'fails'], budget: 0, bound: 1 };

it('resolves with the report of a story that stands everything [I240 I242 I250]', async () => {
  const report = await explore(careful, of);
  expect(report).toMatchObject({ findings: [], unstable: [], schedules_left: 0, bound: 1 });
  expect(report.by_deviation.duplicate?.run).toBeGreaterThan(2);
  expect(report.plain.steps).toContain('delivery music.generation.succeeded #2');
});

it('rejects with the smallest schedule that breaks a story, and stands it no more [I243 I256]', async () => {
  const twice = { ...of, only: ['duplicate'], stopAfter: 1 };
  const error = await explore(careless, twice).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExploreFindings);
  const { message, report } = error as ExploreFindings;
  const [finding] = report.findings;
  expect(finding?.schedule).toEqual([{ step: 'delivery image.generation.succeeded #1', deviation: 'duplicate' }]);
  expect(finding?.token.length).toBeLessThanOrEqual(200);
  expect(message).toContain('comes twice');
  expect(message).toContain(finding?.test);
  expect(finding?.test).toContain(`story, { replay: '${finding?.token}' }`);
  expect(message.split('\n').length).toBeLessThanOrEqual(25 * report.findings.length);
  const again = await explore(careless, { ...twice, replay: finding?.token ?? '' }).catch((thrown: unknown) => thrown);
  expect((again as ExploreFindings).report.findings).toHaveLength(1);
  const tokens = [finding?.token ?? '', finding?.token ?? ''];
  const both = await explore(careless, { ...twice, replay: tokens }).catch((thrown: unknown) => thrown);
  expect((both as ExploreFindings).report).toMatchObject({ schedules_run: 2, findings: [{ seen: 2 }] });
  await expect(explore(collecting, { ...twice, replay: tokens })).resolves.toMatchObject({
    schedules_run: 2,
    findings: [],
  });
});

it('tells of a story that fails by itself [I244]', async () => {
  await expect(explore(() => Promise.reject(new Error('no shop here')))).rejects.toThrow(
    'The baseline run fails, with nothing changed: no shop here',
  );
});

it('runs a story that gets in its own way one at a time, warns of it, and finds nothing [I240]', async () => {
  let inside = 0;
  let most = 0;
  const warnings: string[] = [];
  const hear = ({ message }: Error) => warnings.push(message);
  process.on('warning', hear);
  const story = async (parts: StoryParts) => {
    inside += 1;
    most = Math.max(most, inside);
    try {
      if (inside > 1) throw new Error('The only seat is taken.');
      await careful(parts);
    } finally {
      inside -= 1;
    }
  };
  const report = await explore(story, of).finally(() => process.off('warning', hear));
  expect(report).toMatchObject({ findings: [], unstable: [], schedules_left: 0 });
  expect(report.schedules_run).toBeGreaterThan(10);
  // Only the plain run was tried beside itself.
  expect(most).toBe(2);
  expect(warnings.filter((message) => message.includes('The only seat is taken.'))).toHaveLength(1);
});

it('tells of a story that takes no step [I245]', async () => {
  await expect(explore(() => undefined)).rejects.toThrow('The baseline run took no step');
});

// One more look may be that of a busy machine: it is one look too many when it comes again and again.
it.each([
  { request: 'POST /v1/webhooks', isTaken: (turn: number) => turn === 3 },
  { request: 'GET /v1/storage/objects', isTaken: (turn: number) => turn % 2 === 1 },
])('names the step that only one of two plain runs took: $request [I241 I244]', async ({ request, isTaken }) => {
  const [method, path] = request.split(' /v1');
  let turn = 0;
  const story = async ({ emulator, account }: StoryParts) => {
    turn += 1;
    const isOwn = isTaken(turn);
    const headers = { authorization: `Bearer ${account.apiKey}` };
    await fetch(`${emulator.baseUrl}/account`, { headers });
    if (isOwn) await fetch(`${emulator.baseUrl}${path}`, { method, headers });
  };
  await expect(explore(story)).rejects.toThrow(new RegExp(`only the (first|second) one took the step "${request} #1"`));
});

it.each([
  [{ only: ['duplcate'] }, 'There is no deviation "duplcate"'],
  [{ bound: 4 }, '--bound is 4'],
  [{ budget: 'soon' }, '--budget is soon'],
  [{ shard: '3/2' }, '--shard is 3/2'],
  [{ replay: 'x1-nonsense' }, 'replay is no token of this version'],
])('refuses %j [I248]', async (options, message) => {
  await expect(explore(careful, options)).rejects.toThrow(message);
});
