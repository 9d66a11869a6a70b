import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';
import { ENGINES, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const order = (seconds: number) => ({ model: ENGINES.O.model, prompt: UNRENDERED, seconds });

it.each([
  ['payg', 10, 'pay-as-you-go', 'R163 R240 I007'],
  ['hobby', 15, 'Hobby', 'R163 R241 I007'],
  ['creator', 20, 'Creator', 'R163 R242 I007'],
])(
  'the plan %s allows clips of %i seconds, and says that it is %s to whom asks for more [%s]',
  async (plan, cap, name, _rules) => {
    const ana = await here.account({ plan, credits: 1000 });
    const allowed = await ana.post(VIDEOS, order(cap));
    expect([allowed.status, allowed.body.seconds]).toEqual([202, cap]);
    const { status, body } = await ana.post(VIDEOS, order(cap + 1));
    expect([status, body.error.code, body.error.type, body.error.param]).toEqual([
      400,
      'plan_cap_exceeded',
      'invalid_request_error',
      'seconds',
    ]);
    expect(body.error.message).toContain(name);
    expect(body.error.message).toContain(`${cap} s`);
    await here.advance(0);
    expect(await ana.ledger()).toEqual(['grant 50', 'top_up 950', `charge -${27 * cap}`, `refund ${27 * cap}`]);
    expect(await ana.jobs()).toHaveLength(1);
    expect(await ana.events()).toEqual(['video.generation.failed']);
  },
);

it('the plan studio allows all that an engine makes [R163 R243]', async () => {
  const ana = await here.account({ plan: 'studio', credits: 1000 });
  expect((await ana.post(VIDEOS, order(30))).body.seconds).toBe(30);
  const longer = await ana.post(VIDEOS, order(31));
  expect([longer.status, longer.body.error.code]).toEqual([400, 'invalid_request']);
});

it('a change of plan counts from then on, for every member [R163]', async () => {
  const owner = await here.account({ credits: 1000 });
  const member = await here.account({
    workspace_id: owner.workspaceId,
    role: 'member',
    credits: 1000,
  });
  expect((await member.post(VIDEOS, order(11))).body.error.code).toBe('plan_cap_exceeded');
  await here.control('PATCH', `/workspaces/${owner.workspaceId}`, { plan: 'hobby' });
  expect((await member.post(VIDEOS, order(11))).status).toBe(202);
  await here.control('PATCH', `/workspaces/${owner.workspaceId}`, { plan: 'payg' });
  expect((await owner.post(VIDEOS, order(11))).body.error.code).toBe('plan_cap_exceeded');
});

it('the smallest plan allows every clip of the own engine [R240]', async () => {
  const ana = await here.account({ credits: 1000 });
  const job = await ana.post(VIDEOS, { model: OWN, prompt: UNRENDERED, seconds: 10 });
  expect([job.status, job.body.seconds]).toEqual([202, 10]);
});
