import { expect, it } from 'vitest';
import { flatPicture } from '../../../support/flat-picture.ts';
import { expectScenario, playScenario } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type EngineRow, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });

const SEND = `POST ${VIDEOS}`;
const refused = (model: string, seconds: unknown, says = 'seconds') =>
  expectScenario(here, { send: SEND, body: { model, prompt: UNRENDERED, seconds }, error: { field: 'seconds', says } });

const KNOWN = ['480p', '720p', '768p', '1080p', '2k'];

async function record(order: object) {
  const { status, body, headers } = await ana.post(VIDEOS, { prompt: UNRENDERED, ...order });
  expect(status).toBe(202);
  return { ...body, dropped: headers.get('svc-emulator-dropped') };
}

const order = (model: string, seconds: unknown) => ana.post(VIDEOS, { model, prompt: UNRENDERED, seconds });

const PICTURE = await flatPicture('teal');
const SHOWN = 'data:image/png;base64,…';

/** Every field that a video request can have. */
const EVERYTHING = {
  ...{ prompt: UNRENDERED, duration: '5s', resolution: '2k', aspect: '9:16', shot: 'dolly in' },
  ...{ lighting: 'low key', audio: false, seed: 0, negative_prompt: 'fog', reference: PICTURE },
  references: Array.from({ length: 7 }, () => PICTURE),
  end_reference: PICTURE,
};
const GIVEN = ['reference', ...EVERYTHING.references.map((_, n) => `references.${n}`)];

function surplus(room: number): string[] {
  if (room === 0) return ['reference', 'references'];
  return room === 1 ? ['references'] : GIVEN.slice(room);
}

/** Expects that the engine accepts its own fields and drops all others. */
async function expectOwnFields(label: Label): Promise<void> {
  const row: EngineRow = ENGINES[label];
  const { status, body, headers } = await ana.post(VIDEOS, { ...EVERYTHING, model: row.model });
  expect(status).toBe(202);
  const dropped = [
    'duration',
    ...(row.resolutions.includes('2k') ? [] : ['resolution']),
    ...(row.audio === 'choice' ? [] : ['audio']),
    ...(row.seed ? [] : ['seed']),
    ...(row.negative ? [] : ['negative_prompt']),
    ...(row.last ? [] : ['end_reference']),
    ...surplus(row.pictures),
  ];
  expect(headers.get('svc-emulator-dropped')?.split(',').sort()).toEqual(dropped.sort());
  expect(headers.get('svc-emulator-warnings')).toBeNull();
  const others = Array.from({ length: row.pictures - 1 }, () => SHOWN);
  const { id, created, usage, credits, ...rest } = body;
  expect(rest).toEqual({
    ...{ object: 'video.generation', status: 'queued', model: row.model, prompt: 'a red boat' },
    ...{ seconds: row.lengths[0], resolution: row.standard, aspect: '9:16', shot: 'dolly in' },
    ...{ lighting: 'low key', audio: row.audio === 'native', store: false },
    ...(row.seed ? { seed: 0 } : {}),
    ...(row.negative ? { negative_prompt: 'fog' } : {}),
    ...(row.last ? { end_reference: SHOWN } : {}),
    ...(row.pictures > 0 ? { reference: SHOWN } : {}),
    ...(row.pictures > 1 ? { references: others } : {}),
  });
  const surcharge = { F: 15, L: 5 }[label as string] ?? 0;
  expect(credits).toBe(row.rate * row.lengths[0] + surcharge);
  expect(usage.credits_spent).toBe(credits);
}

async function expectOwnLengths(label: Label): Promise<void> {
  const { model, lengths, rate } = ENGINES[label];
  const [shortest, longest] = [lengths[0], lengths.at(-1) ?? 0];
  const between = lengths.length === 3 ? [6] : [shortest + 1, longest - 1];
  for (const seconds of [shortest, ...between, longest]) {
    const { status, body } = await order(model, seconds);
    expect([status, body.seconds, body.credits]).toEqual([202, seconds, rate * seconds]);
    expect(body.usage.credits_spent).toBe(rate * seconds);
  }
  const outside = lengths.length === 3 ? [3, 5, 7, 9] : [shortest - 1, longest + 1];
  for (const seconds of outside) await refused(model, seconds, `${shortest}`);
}

async function expectOwnResolutions(label: Label): Promise<void> {
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
}

it.each<[Label, string]>([
  ['A', 'R075 R104 R105 I112 I051 R076 R109 R110 R111 I052 I053 I114'],
  ['B', 'R077 R244 I051 R078 R109 R110 R111 I113'],
  ['C', 'R079 I051 R080 R109 R110 R111'],
  ['D', 'R081 I051 R082 R109 R110 R111 I113'],
  ['E', 'R083 I112 I051 R084 R109 R110 R111'],
  ['F', 'R085 I051 R086 R106 R109 R110 R111 I118'],
  ['G', 'R087 I051 R088 R109 R110 R111'],
  ['H', 'R089 R244 I054 I051 R090 R109 R110 R111 I113 I114'],
  ['I', 'R091 I054 I051 R109 R110 R111 I113'],
  ['J', 'R092 I054 I051 R093 R109 R110 R111 I114'],
  ['K', 'R094 I112 I051 R095 R109 R110 R111 I118'],
  ['L', 'R096 I112 I051 R097 R107 R109 R110 R111 I118'],
  ['M', 'R098 R104 R105 I051 R099 R109 R110 R111 I114'],
  ['N', 'R100 R244 I051 R101 R109 R110 R111 I113'],
  ['O', 'R102 I112 I051 R103 R109 R110 R111 I114'],
])(
  'accepts with engine %s its own lengths, resolutions and fields at its rate, rejects other lengths, and drops and names fields that it lacks [%s]',
  async (label, _rules) => {
    await expectOwnLengths(label);
    await expectOwnResolutions(label);
    await expectOwnFields(label);
  },
);

it("accepts six references for the service's own engine, and drops the fields seed, end_reference, negative_prompt and audio [R074 R110 R109 R112 I113 I114 I154 I177]", async () => {
  const { status, body, headers } = await ana.post(VIDEOS, { ...EVERYTHING, model: OWN });
  expect(status).toBe(202);
  const surplusOfOwn = 'audio,end_reference,negative_prompt,references.5,references.6,resolution,seed';
  expect(headers.get('svc-emulator-dropped')?.split(',').sort().join()).toBe(surplusOfOwn);
  expect(body).toMatchObject({ seconds: 5, resolution: '768p', audio: true, credits: 60 });
  expect(body.reference).toBe(SHOWN);
  expect(body.references).toHaveLength(5);
  for (const field of ['seed', 'end_reference', 'negative_prompt']) expect(body).not.toHaveProperty(field);
});

it.each([
  [5, 60],
  [10, 60],
])("charges for %i seconds of the service's own engine a flat %i credits [R069 R070]", async (seconds, credits) => {
  const { status, body } = await order(OWN, seconds);
  expect([status, body.seconds, body.credits, body.usage.credits_spent]).toEqual([202, seconds, credits, credits]);
});

it.each([4, 11, 30])("rejects a video of %i seconds with the service's own engine [R069 R162]", (seconds) =>
  refused(OWN, seconds),
);

const DROPPED = 'resolution';

it.each<[object, object, string]>([
  [{ model: OWN, resolution: '480p' }, { resolution: '768p', dropped: DROPPED }, 'R070 I051'],
  [{ model: OWN, resolution: '768p' }, { resolution: '768p' }, 'R070 I051'],
  [{ model: OWN, resolution: '1080p' }, { resolution: '768p', dropped: DROPPED }, 'R070 I051'],
  [{ resolution: '480P' }, { resolution: '480p' }, 'I218'],
  [{}, { aspect: '16:9' }, 'R161'],
  ...['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'].map((aspect) => both({ aspect }, 'R161')),
  both({ shot: '🎥'.repeat(64) }, 'R161'),
  both({ lighting: 'golden hour' }, 'R161'),
  both({ seed: 0 }, 'I050 R109'),
  both({ seed: 4_294_967_295 }, 'I050 R109'),
])('accepts a video request with %j, and returns %j [%s]', async (order, shown) => {
  expect(await record({ model: ENGINES.M.model, ...order })).toMatchObject({ dropped: null, ...shown });
});

/** A field that the response repeats unchanged. */
function both(field: object, rules: string): [object, object, string] {
  return [field, field, rules];
}

const longClip = (seconds: number) => ({ model: ENGINES.O.model, prompt: UNRENDERED, seconds });

it.each([
  ['payg', 10, 'pay-as-you-go', 'R163 R240 I007'],
  ['hobby', 15, 'Hobby', 'R163 R241 I007'],
  ['creator', 20, 'Creator', 'R163 R242 I007'],
])(
  'allows on plan %s videos of %i seconds, and rejects a longer one with the name of this plan, %s [%s]',
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

it('applies a change of plan at once to the video limit of every member [R163]', async () => {
  const owner = await here.account({ credits: 1000 });
  const member = await here.account({ workspace_id: owner.workspaceId, role: 'member', credits: 1000 });
  expect((await member.post(VIDEOS, longClip(11))).body.error.code).toBe('plan_cap_exceeded');
  await here.control('PATCH', `/accounts/${owner.id}`, { plan: 'hobby' });
  expect((await member.post(VIDEOS, longClip(11))).status).toBe(202);
  await here.control('PATCH', `/accounts/${owner.id}`, { plan: 'payg' });
  expect((await owner.post(VIDEOS, longClip(11))).body.error.code).toBe('plan_cap_exceeded');
});

it.each([
  ['studio', 'engine O', 'R163 R243', longClip(30)],
  ['payg', "the service's own engine", 'R240', { model: OWN, prompt: UNRENDERED, seconds: 10 }],
])('allows on plan %s the longest video of %s [%s]', async (plan, _engine, _rules, order) => {
  const ana = await here.account({ plan, credits: 1000 });
  const { status, body } = await ana.post(VIDEOS, order);
  expect([status, body.seconds]).toEqual([202, order.seconds]);
});
