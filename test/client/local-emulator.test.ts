import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { describeAccountActivity } from '../../src/client/account-activity.ts';
import { ConfigError, ControlError, NoEmulator, startEmulator } from '../../src/index.ts';
import { postAs } from './post-as.ts';

it('starts two emulators in one process, each on a free port with its own state', async () => {
  await using first = await startEmulator();
  await using second = await startEmulator({ credits: 70 });
  expect(first.url).not.toBe(second.url);
  const account = await first.account({ plan: 'studio', credits: 500 });
  expect(await account.balance()).toBe(500);
  await expect(second.ledger(account)).rejects.toThrow(ControlError);
});

it('reads a long ledger from all its pages', async () => {
  await using emulator = await startEmulator();
  const account = await emulator.account();
  for (let n = 0; n < 1001; n += 1) await account.topUp(1);
  const ledger = await account.ledger();
  expect(ledger).toHaveLength(1002);
  expect(ledger.at(-1)?.balance).toBe(1051);
  expect(new Set(ledger.map(({ id }) => id)).size).toBe(1002);
});

it('moves and freezes the clock, and rejects an invalid time span with code and field [I006 I086]', async () => {
  await using emulator = await startEmulator();
  const frozen = await emulator.clock.freeze('2031-05-01T00:00:00Z');
  expect(frozen).toEqual({ now: '2031-05-01T00:00:00.000Z', frozen: true });
  const later = await emulator.clock.advance({ days: 8, hours: 1 });
  expect(later).toEqual({ now: '2031-05-09T01:00:00.000Z', frozen: true });
  await emulator.clock.set(new Date('2032-01-01T00:00:00Z'));
  expect(await emulator.clock.read()).toEqual({ now: '2032-01-01T00:00:00.000Z', frozen: true });
  expect(() => emulator.clock.advance({ day: 1 } as object)).toThrow('day is not a part of a duration');
  const refusal = { name: 'ControlError', status: 400, code: 'invalid_request', param: 'seconds' };
  await expect(emulator.clock.advance({ seconds: -1 })).rejects.toMatchObject(refusal);
  expect(await emulator.clock.read()).toEqual({ now: '2032-01-01T00:00:00.000Z', frozen: true });
  expect((await emulator.clock.unfreeze()).frozen).toBe(false);
});

it('adds and lists the fault rules of one account, and waits for its jobs', async () => {
  await using emulator = await startEmulator();
  const account = await emulator.account({ credits: 60 });
  const rule = await account.faults.add({ effect: { failJob: 'out_of_tune' }, ttlSeconds: 60 });
  expect(rule).toMatchObject({ match: { accountId: account.id }, ttlSeconds: 60 });
  const song = { prompt: 'a waltz', seconds: 30, n: 1 };
  const answer = await postAs(account, emulator, '/music/generations', song);
  const { data } = (await answer.json()) as { data: [{ id: string }] };
  expect(await account.waitFor.job(data[0].id)).toMatchObject({ status: 'failed', error: { code: 'out_of_tune' } });
  await account.waitFor.idle();
  const other = await emulator.account();
  expect((await account.faults.list()).map(({ id, applied }) => [id, applied])).toEqual([[rule.id, 1]]);
  expect(await other.faults.list()).toEqual([]);
  expect((await account.ledger()).map(({ amount }) => amount)).toEqual([50, 10, -3, 3]);
});

it('closes an emulator at the end of an await using block, allows a second close, and then says that no emulator responds', async () => {
  let closed: Awaited<ReturnType<typeof startEmulator>>;
  {
    await using emulator = await startEmulator();
    expect(await emulator.health()).toMatchObject({ status: 'ok' });
    closed = emulator;
  }
  await closed.close();
  await expect(closed.health()).rejects.toThrow(NoEmulator);
  await expect(closed.health()).rejects.toThrow(`No emulator responds at ${closed.url}.`);
});

it('rejects an invalid option, and names it', async () => {
  await expect(startEmulator({ port: 70_000 })).rejects.toThrow(ConfigError);
  await expect(startEmulator({ port: 70_000 })).rejects.toThrow(/--port is 70000; expected/);
});

it('names the takes that are still open, and since when, if a wait times out or a test fails', async () => {
  await using emulator = await startEmulator();
  const account = await emulator.account({ credits: 500 });
  const song = { prompt: 'a waltz', seconds: 240, n: 2 };
  expect((await postAs(account, emulator, '/music/generations', song)).status).toBe(202);
  const ids = (await account.jobs()).map(({ id }) => id);
  const wait = account.waitFor.idle({ timeout: 0 });
  const state = String.raw`(?:rendering|waiting for a renderer) since 2\d{3}-\S+Z`;
  const takes = ids.map((id, at) => `take ${at + 1} ${id} is ${state}`).join(', ');
  await expect(wait).rejects.toThrow(new RegExp(`work remains: 2 open jobs\\. ${takes}\\.`));
  await expect(account.waitFor.job(ids[0] ?? '', { timeout: 0 })).rejects.toThrow(new RegExp(`it is still ${state}`));
  expect(await describeAccountActivity(emulator, account)).toMatch(
    new RegExp(`Unfinished jobs of ${account.id}:(?:\\n +job_\\w+ of svc-\\S+: \\w+, ordered at 2\\S+Z){2}`),
  );
  expect((await account.ledger()).map(({ type }) => type)).not.toContain('refund');
});

it('describes, for the output of a failed test, the retries of the client, the failed jobs and the deliveries', async () => {
  await using emulator = await startEmulator();
  const account = await emulator.account({ credits: 500 });
  const { workspaceId } = account;
  await emulator.control.addEndpoint({ workspaceId, inbox: 'a', events: ['image.generation.failed'] });
  await emulator.faults.add({ match: { accountId: account.id }, effect: { failJob: 'out_of_memory' } });
  const client = new OpenAI({ baseURL: emulator.baseUrl, apiKey: account.apiKey });
  await client.images.generate({ prompt: 'a lighthouse' });
  await account.waitFor.idle();
  const shown = await describeAccountActivity(emulator, account);
  expect(shown.match(/(?<=-> ).*(?=, \d+ ms)/g)).toEqual(['502, 0 credits', '200, 10 credits, retry 1']);
  expect(shown).toMatch(
    /^Failed jobs of acct_\w+:\n +job_\w+ of \S+: out_of_memory: The render failed with out_of_memory/m,
  );
  expect(shown).toMatch(/^Deliveries to acct_\w+:\n +image\.generation\.failed to http\S+ -> 200 \(dlv_\w+\)$/m);
  const ledger = await account.ledger();
  expect(ledger.map(({ type }) => type)).toEqual(['grant', 'top_up', 'charge', 'refund', 'charge']);
});
