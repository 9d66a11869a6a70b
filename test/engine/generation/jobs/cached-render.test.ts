import { expect, it } from 'vitest';
import { OWN_RENDERS, world } from '../../../support/world.ts';

const here = await world({}, OWN_RENDERS);
await here.control('PUT', '/clock', { frozen: true });
const IMAGES = '/images/generations';
const PROMPT = 'a walled garden';

it('charges a cached render, publishes its event and adds it to the library, as for the first render [R219 I097]', async () => {
  const ana = await here.account();
  const first = await ana.post(IMAGES, { prompt: PROMPT });
  const again = await ana.post(IMAGES, { prompt: PROMPT });
  expect(again.body.data).toEqual(first.body.data);
  expect(again.body.usage).toEqual({ credits_spent: 10, credits_remaining: 30 });
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
  expect(await ana.events()).toEqual(Array(2).fill('image.generation.succeeded'));
  const [one, other] = await ana.library();
  expect(one?.job_id).not.toBe(other?.job_id);
  expect((await ana.jobs()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

it('refunds a job that must fail although its render is cached [I094 R005]', async () => {
  const ana = await here.account();
  await ana.post(IMAGES, { prompt: PROMPT });
  const { status } = await ana.post(IMAGES, { prompt: `${PROMPT} [[fail]]` });
  expect(status).toBe(502);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10', 'refund 10']);
  expect(await ana.library()).toHaveLength(1);
});

it('delays a slow job although its render is cached [I094 I124]', async () => {
  const ana = await here.account();
  await ana.post(IMAGES, { prompt: PROMPT });
  const slow = ana.post(IMAGES, { prompt: `${PROMPT} [[slow:600]]` });
  await ana.ordered(2);
  await here.advance(599);
  expect(await ana.events()).toHaveLength(1);
  expect(await ana.library()).toHaveLength(1);
  await here.advance(1);
  expect((await slow).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
  expect(await ana.library()).toHaveLength(2);
});

it('ends all jobs with the same due time at that time, even if the clock must wait for the renders of some [I138]', async () => {
  await here.control('PUT', '/clock', { frozen: true });
  const account = await here.account({ plan: 'studio', credits: 500 });
  const progression = { mode: 'seconds', value: 20, account_id: account.id };
  await here.control('PUT', '/progression', progression);
  // The last two find their files and are ready at once, while the clock waits for the renders of the first three.
  const prompts = ['a mill', 'a barn', 'a quay', 'a mill', 'a barn'];
  for (const prompt of prompts) {
    await account.post('/videos/generations', { model: 'vid_max5havc', prompt, resolution: '480p' });
  }
  await here.advance(45);
  const jobs = await account.jobs();
  expect(jobs.map(({ status, created, completed }) => `${status} ${completed - created}`)).toEqual(
    prompts.map(() => 'succeeded 20'),
  );
  expect(await account.ledger()).toHaveLength(2 + prompts.length);
});
