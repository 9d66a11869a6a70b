import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator.ts';
import { POST, RUN_EVENTS, runFlow, TEXT } from '../../support/flow-rig.ts';
import { Receiver } from '../../support/receiver.ts';
import { rule } from '../../support/striking.ts';
import { ephemeral, SHARED_RENDERS, type TestAccount, World, world } from '../../support/world.ts';

const emulator = await world();

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

it('serves an expired URL under url.no_end, and ends a permanent one under store.ends, of one account alone', async () => {
  const started = await startEmulator(ephemeral(), SHARED_RENDERS);
  const at = new World(started);
  const accounts = await Promise.all(Array.from({ length: 3 }, () => at.account({ credits: 50 })));
  const urls: [string, string][] = [];
  for (const account of accounts) {
    const passing = await account.post('/images/generations', { prompt: 'A lamp', response_format: 'url' });
    const kept = await account.post('/images/generations', { prompt: 'A lamp', store: true });
    urls.push([passing.body.data[0].url, kept.body.data[0].url]);
  }
  const [original, endless, ended] = accounts as [TestAccount, TestAccount, TestAccount];
  await rule(endless, { violation: 'url.no_end' });
  await rule(ended, { violation: 'store.ends' });
  const read = () => Promise.all(urls.map((pair) => Promise.all(pair.map(statusOf))));
  expect(await read()).toEqual([
    [200, 200],
    [200, 200],
    [200, 200],
  ]);
  await at.advance(8 * 86_400);
  expect(await read()).toEqual([
    [403, 200],
    [200, 200],
    [403, 403],
  ]);
  expect(await original.ledger()).toEqual(await ended.ledger());
  await started.close();
});

it('lets a member do what owners may, under role.none', async () => {
  const owner = await emulator.account({ credits: 50 });
  const join = { workspace_id: owner.workspaceId, role: 'member' };
  const [member, other] = [await emulator.account(join), await emulator.account(join)];
  await rule(member, { violation: 'role.none' });
  expect((await member.get('/webhooks')).status).toBe(200);
  expect((await other.get('/webhooks')).status).toBe(403);
  const { body } = await emulator.control('GET', '/invariants');
  expect(body).toMatchObject({ ok: true, broken: [] });
  expect(body.violations.at(-1)).toMatchObject({ violation: 'role.none' });
});

async function told(effect: object | undefined) {
  const account = await emulator.account({ credits: 50 });
  const receiver = await Receiver.start();
  await account.post('/webhooks', { url: receiver.origin, events: RUN_EVENTS });
  if (effect) await rule(account, effect);
  const steps = effect && 'violation' in effect && effect.violation === 'run.no_outputs' ? [TEXT] : [TEXT, POST];
  const run = await runFlow(account, steps, { topic: 'fog' });
  await account.idle();
  await receiver.close();
  return { status: run.status, events: receiver.requests.map(({ body }) => JSON.parse(body)) };
}

it('passes a post that waits for a click, under run.no_wait [R222]', async () => {
  expect((await told(undefined)).status).toBe('waiting');
  const { status, events } = await told({ violation: 'run.no_wait' });
  expect(status).toBe('done');
  expect(events.map(({ type }) => type)).toEqual(['flow.run.succeeded']);
});

it('publishes a finished run without outputs, under run.no_outputs [R226]', async () => {
  const { status, events } = await told({ violation: 'run.no_outputs' });
  expect(status).toBe('done');
  expect(events.map(({ data }) => data.outputs)).toEqual([[]]);
});
