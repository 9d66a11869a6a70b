import { expect, it } from 'vitest';
import { CONTROL_OPERATIONS } from '../../src/control/control-routes.ts';
import { ControlError, connectEmulator, NoEmulator } from '../../src/index.ts';
import type { Operation } from '../../src/service/http/operation.ts';
import { world } from '../support/world.ts';
import { postAs } from './post-as.ts';

const { url } = await world();
const emulator = connectEmulator(`${url}/`);
const { control } = emulator;

/** A new account with an inbox, and an endpoint that delivers to this inbox. */
async function hearing(events: ['image.generation.succeeded']) {
  const account = await emulator.account({ credits: 100 });
  const inbox = emulator.inbox(account.id);
  const endpoint = await control.addEndpoint({ workspaceId: account.workspaceId, inbox: inbox.name, events });
  return { account, inbox, endpoint };
}

const orderPicture = (account: { apiKey: string }) =>
  postAs(account, emulator, '/images/generations', { prompt: 'a pier' });

it('accepts field names in snake case as well as in camel case [I272]', async () => {
  const account = await emulator.account({ credits: 100 });
  const rule = await emulator.faults.add({ match: { account_id: account.id }, effect: { delay_ms: 1 } });
  expect(rule).toMatchObject({ match: { accountId: account.id }, effect: { delayMs: 1 } });
  await orderPicture(account);
  const [named, camel] = [{ account_id: account.id }, { accountId: account.id }];
  expect(await control.listJobs(named)).toEqual(await control.listJobs(camel));
  expect(await control.listJobs(named)).toHaveLength(1);
  await emulator.waitFor.idle(named);
});

it.each(['', '.', '..'])('rejects the id %j, because its path would be that of another operation', async (id) => {
  const account = await emulator.account();
  const rule = await account.faults.add({ effect: { status: 503 } });
  await expect(account.faults.remove(id)).rejects.toThrow('deleteFault: id is empty, "." or ".."');
  expect((await account.faults.list()).map((each) => each.id)).toEqual([rule.id]);
});

it('defines no control operation with both a query and a body', () => {
  const both = CONTROL_OPERATIONS.filter(({ query, body }: Operation) => query && body);
  expect(both.map(({ name }) => name)).toEqual([]);
});

it('creates a flow, runs it and approves its post, and does not change the names of its inputs', async () => {
  const account = await emulator.account({ credits: 100 });
  const flow = await control.createFlow({
    ...{ workspaceId: account.workspaceId, accountId: account.id, name: 'posts' },
    steps: [{ nodeId: 'a', type: 'post', params: { text: '{{inputs.my_word}}', url: 'https://example.com/a_b' } }],
  });
  expect(flow).toMatchObject({ workspaceId: account.workspaceId, hookUrl: expect.stringContaining('/hooks/flows/') });
  const run = await control.startRun({ id: flow.id, inputs: { my_word: 'hello', ownKey: 1 } });
  const waiting = await control.showRun({ id: run.id });
  expect(waiting).toMatchObject({ accountId: account.id, inputs: { my_word: 'hello', ownKey: 1 } });
  await account.waitFor.idle();
  await control.clickRun({ id: run.id, choice: 'approve' });
  expect(await account.waitFor.run(run.id)).toMatchObject({ id: run.id, status: 'done', accountId: account.id });
  expect((await control.listRuns({ accountId: account.id })).map(({ id }) => id)).toEqual([run.id]);
  expect((await account.ledger()).map(({ type }) => type)).toEqual(['grant', 'top_up']);
});

it('waits for the next genuine delivery or inbox message, and also accepts one that is not genuine with genuine: false', async () => {
  const type = 'image.generation.succeeded';
  const { account, inbox } = await hearing([type]);
  await account.faults.add({ effect: { webhook: 'forged' } });
  expect((await orderPicture(account)).status).toBe(200);
  expect(await account.waitFor.delivery(type)).toMatchObject({ fault: null });
  expect(await emulator.waitFor.delivery(type, { accountId: account.id, genuine: false })).toMatchObject({
    fault: 'forged',
  });
  const genuine = await inbox.wait();
  const forged = await inbox.wait({ genuine: false });
  expect([forged, genuine]).toEqual(await inbox.messages());
  expect([forged, genuine].map(({ signature }) => signature.verified)).toEqual([false, true]);
  await expect(inbox.wait({ timeout: 0, after: genuine.id })).rejects.toMatchObject({ status: 408, code: 'timeout' });
  expect((await account.ledger()).map(({ amount }) => amount)).toEqual([50, 50, -10]);
});

it('resets a running emulator', async () => {
  const account = await emulator.account();
  await emulator.reset();
  await expect(emulator.ledger(account.id)).rejects.toThrow(/no account/i);
});

it('returns a different message of an inbox to each of two parallel waits', async () => {
  const { account, inbox } = await hearing(['image.generation.succeeded']);
  await Promise.all([orderPicture(account), orderPicture(account)]);
  const both = await Promise.all([inbox.wait(), inbox.wait()]);
  const ids = both.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  await expect(inbox.wait({ timeout: 0 })).rejects.toMatchObject({ code: 'timeout' });
  expect((await inbox.wait({ genuine: false })).id).toBe(ids[0]);
  expect((await inbox.wait({ after: ids[0] ?? '' })).id).toBe(ids[1]);
});

it('rejects an unknown field or operation, a missing id and an address without an emulator, and changes nothing [I233]', async () => {
  const account = await emulator.account();
  const rule = await account.faults.add({ effect: { status: 503 } });
  const misspelt = control.deleteFaults({ acountId: account.id } as object);
  await expect(misspelt).rejects.toThrow(ControlError);
  await expect(misspelt).rejects.toThrow('Did you mean account_id?');
  await expect((control as unknown as { creatFlow(): Promise<void> }).creatFlow()).rejects.toThrow(
    'There is no operation creatFlow. Did you mean createFlow?',
  );
  await expect(control.showAccount({} as { id: string })).rejects.toThrow('showAccount lacks id');
  await expect(connectEmulator('http://127.0.0.1:1').control.getClock()).rejects.toThrow(NoEmulator);
  expect((await account.faults.list()).map(({ id }) => id)).toEqual([rule.id]);
});
