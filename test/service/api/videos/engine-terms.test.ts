import { expect, it } from 'vitest';
import { expectScenario, playScenario } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });

const SEND = `POST ${VIDEOS}`;
const refused = (model: string, seconds: unknown, says = 'seconds') =>
  expectScenario(here, { send: SEND, body: { model, prompt: UNRENDERED, seconds }, error: { field: 'seconds', says } });

const order = (model: string, seconds?: unknown) => ana.post(VIDEOS, { model, prompt: UNRENDERED, seconds });

it.each<[Label, string]>([
  ['A', 'R075 R104 R105'],
  ['B', 'R077 R244'],
  ['C', 'R079'],
  ['D', 'R081'],
  ['E', 'R083'],
  ['F', 'R085'],
  ['G', 'R087'],
  ['H', 'R089 R244 I054'],
  ['I', 'R091 I054'],
  ['J', 'R092 I054'],
  ['K', 'R094'],
  ['L', 'R096'],
  ['M', 'R098 R104 R105'],
  ['N', 'R100 R244'],
  ['O', 'R102'],
])(
  'accepts with engine %s its own lengths, charges its rate for each second, and rejects other lengths [%s]',
  async (label, _rules) => {
    const { model, lengths, rate } = ENGINES[label];
    const [shortest, longest] = [lengths[0], lengths.at(-1) ?? 0];
    const between = lengths.length === 3 ? [6] : [shortest + 1, longest - 1];
    for (const seconds of [shortest, ...between, longest]) {
      const { status, body } = await order(model, seconds);
      expect([status, body.seconds, body.credits]).toEqual([202, seconds, rate * seconds]);
      expect(body.usage.credits_spent).toBe(rate * seconds);
    }
    const outside = lengths.length === 3 ? [3, 5, 7, 9] : [shortest - 1, longest + 1];
    for (const seconds of outside) {
      await refused(model, seconds, `${shortest}`);
    }
  },
);

it.each(Object.entries(ENGINES))(
  'uses the shortest length of engine %s, and charges its rate, if seconds is absent [I053]',
  async (_label, row) => {
    const { body } = await order(row.model);
    expect([body.seconds, body.credits]).toEqual([row.lengths[0], row.rate * row.lengths[0]]);
  },
);

it.each([
  [5, 60],
  [7, 60],
  [10, 60],
])("charges for %i seconds of the service's own engine a flat %i credits [R069 R070]", async (seconds, credits) => {
  const { status, body } = await order(OWN, seconds);
  expect([status, body.seconds, body.credits, body.usage.credits_spent]).toEqual([202, seconds, credits, credits]);
});

it.each([4, 11, 30])("rejects a video of %i seconds with the service's own engine [R069 R162]", (seconds) =>
  refused(OWN, seconds),
);

it.each([[4.5], ['8'], [true], [[4]]])('rejects %j as the seconds of a video [R162]', (seconds) =>
  refused(ENGINES.M.model, seconds),
);

const KNOWN = ['480p', '720p', '768p', '1080p', '2k'];

async function record(order: object) {
  const { status, body, headers } = await ana.post(VIDEOS, { prompt: UNRENDERED, ...order });
  expect(status).toBe(202);
  return { ...body, dropped: headers.get('svc-emulator-dropped') };
}

it.each<[Label, string]>([
  ['A', 'R075 I112 I051'],
  ['B', 'R077 I051'],
  ['C', 'R079 I051'],
  ['D', 'R081 I051'],
  ['E', 'R083 I112 I051'],
  ['F', 'R085 I051'],
  ['G', 'R087 I051'],
  ['H', 'R089 I054 I051'],
  ['I', 'R091 I054 I051'],
  ['J', 'R092 I051'],
  ['K', 'R094 I112 I051'],
  ['L', 'R096 I112 I051'],
  ['M', 'R098 I051'],
  ['N', 'R100 I051'],
  ['O', 'R102 I112 I051'],
])(
  'uses with engine %s its own resolutions, its default for any other, and the field audio only if the engine has that choice [%s]',
  async (label, _rules) => {
    const { model, resolutions, standard, audio } = ENGINES[label];
    for (const resolution of KNOWN) {
      const has = (resolutions as readonly string[]).includes(resolution);
      expect(await record({ model, resolution })).toMatchObject({
        resolution: has ? resolution : standard,
        dropped: has ? null : 'resolution',
      });
    }
    expect(await record({ model })).toMatchObject({ resolution: standard, audio: audio !== 'none', dropped: null });
    const silenced = audio === 'choice' ? null : 'audio';
    expect(await record({ model, audio: false })).toMatchObject({ audio: audio === 'native', dropped: silenced });
  },
);

it.each(KNOWN)("uses 768p with the service's own engine if the request asks for %s [R070 I051]", async (resolution) => {
  expect(await record({ model: OWN, resolution })).toMatchObject({
    resolution: '768p',
    dropped: resolution === '768p' ? null : 'resolution',
  });
});

it.each([
  ['480P', '480p'],
  ['720P', '720p'],
])('treats the resolution %s as %s [I218]', async (resolution, known) => {
  const answer = { resolution: known, dropped: null };
  expect(await record({ model: ENGINES.M.model, resolution })).toMatchObject(answer);
});

it.each(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', undefined])(
  'accepts a video with the aspect %s [R161]',
  async (aspect) => {
    const answer = { aspect: aspect ?? '16:9', dropped: null };
    expect(await record({ model: ENGINES.M.model, aspect })).toMatchObject(answer);
  },
);

it.each([
  ['resolution', '4k'],
  ['resolution', '720'],
  ['resolution', 720],
  ['aspect', '2:1'],
  ['aspect', 'wide'],
  ['shot', 'x'.repeat(65)],
  ['shot', 5],
  ['lighting', 'x'.repeat(65)],
  ['lighting', ['soft']],
  ['store', 'yes'],
])('rejects a video whose %s is %j, and charges nothing [R161 I051]', (field, value) => {
  const body = { model: ENGINES.M.model, prompt: UNRENDERED, [field]: value };
  return expectScenario(here, { send: SEND, body, error: { field } });
});

it.each([
  ['shot', '🎥'.repeat(64)],
  ['lighting', 'golden hour'],
])('accepts a video whose %s is %s [R161]', async (field, value) => {
  const answer = { [field]: value, dropped: null };
  expect(await record({ model: ENGINES.M.model, [field]: value })).toMatchObject(answer);
});

const longClip = (seconds: number) => ({ model: ENGINES.O.model, prompt: UNRENDERED, seconds });

it.each([
  ['payg', 10, 'pay-as-you-go', 'R163 R240 I007'],
  ['hobby', 15, 'Hobby', 'R163 R241 I007'],
  ['creator', 20, 'Creator', 'R163 R242 I007'],
])(
  'allows on plan %s videos of %i seconds, and names the plan %s in the rejection of a longer one [%s]',
  async (plan, cap, name, _rules) => {
    const { account } = await playScenario(here, {
      ...{ as: { plan, credits: 1000 }, send: SEND, body: longClip(cap), status: 202, answer: { seconds: cap } },
      ...{ ledger: [`charge -${27 * cap}`, `refund ${27 * cap}`], events: ['video.generation.failed'] },
    });
    const error = { code: 'plan_cap_exceeded', field: 'seconds', says: new RegExp(`${name}.*${cap} s`) };
    const answer = { error: { type: 'invalid_request_error' } };
    await expectScenario(here, { as: account, send: SEND, body: longClip(cap + 1), error, answer });
  },
);

it('allows the longest video of an engine on plan studio [R163 R243]', async () => {
  const ana = await here.account({ plan: 'studio', credits: 1000 });
  expect((await ana.post(VIDEOS, longClip(30))).body.seconds).toBe(30);
  const longer = await ana.post(VIDEOS, longClip(31));
  expect([longer.status, longer.body.error.code]).toEqual([400, 'invalid_request']);
});

it('applies a change of plan at once to the video limit of every member [R163]', async () => {
  const owner = await here.account({ credits: 1000 });
  const member = await here.account({ workspace_id: owner.workspaceId, role: 'member', credits: 1000 });
  expect((await member.post(VIDEOS, longClip(11))).body.error.code).toBe('plan_cap_exceeded');
  await here.control('PATCH', `/accounts/${owner.id}`, { plan: 'hobby' });
  expect((await member.post(VIDEOS, longClip(11))).status).toBe(202);
  await here.control('PATCH', `/accounts/${owner.id}`, { plan: 'payg' });
  expect((await owner.post(VIDEOS, longClip(11))).body.error.code).toBe('plan_cap_exceeded');
});

it("allows the longest video of the service's own engine on the smallest plan [R240]", async () => {
  const ana = await here.account({ credits: 1000 });
  const job = await ana.post(VIDEOS, { model: OWN, prompt: UNRENDERED, seconds: 10 });
  expect([job.status, job.body.seconds]).toEqual([202, 10]);
});
