import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { CHAT } from '../../support/wire.ts';
import { type TestAccount, type World, world } from '../../support/world.ts';

const IMAGE = { prompt: 'a pier' };

const save = (here: World, name: string) => here.control('POST', '/snapshots', { name });
async function restore(here: World, name: string): Promise<void> {
  expect((await here.control('POST', `/snapshots/${name}/restore`)).status).toBe(200);
}

/** Sends an order and returns the id of its request. */
async function order(account: TestAccount, path: string, body: object): Promise<string> {
  const { status, headers } = await account.post(path, body);
  expect(status).toBeLessThan(300);
  return headers.get('x-request-id') ?? '';
}

async function request(here: World, id: string) {
  return (await here.control('GET', `/requests/${id}`)).body;
}

/** The request ids of the account in the journal, oldest first. */
async function requests(account: TestAccount): Promise<string[]> {
  const { body } = await account.world.control('GET', `/requests?account_id=${account.id}`);
  return body.data.map(({ id }: { id: string }) => id).toReversed();
}

it('restores the state and the journal of the moment of the snapshot [I258 I093 I140]', async () => {
  const here = await world();
  const ana = await here.account({ credits: 100 });
  const before = await order(ana, '/chat/completions', CHAT);
  await here.control('POST', '/notes', { text: 'a note of before', account_id: ana.id });
  await save(here, 'a');
  const chat = await order(ana, '/chat/completions', CHAT);
  const lost = await order(ana, '/images/generations', { prompt: 'a kite' });
  await here.control('POST', '/notes', { text: 'a note of after', account_id: ana.id });
  const { job_ids: jobs, charges, event_ids: events } = await request(here, lost);
  await restore(here, 'a');
  expect(await requests(ana)).toEqual([before]);
  const notes = (await here.control('GET', `/record?kind=note&account_id=${ana.id}`)).body.data;
  expect(JSON.stringify(notes)).toContain('a note of before');
  expect(JSON.stringify(notes)).not.toContain('a note of after');

  const picture = await order(ana, '/images/generations', IMAGE);
  const is = await request(here, picture);
  expect(is.job_ids).not.toEqual(jobs);
  expect(is.charges).not.toEqual(charges);
  expect(await ana.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -10']);
  expect(await requests(ana)).toEqual([before, picture]);
  for (const id of [chat, lost, ...jobs, ...charges, ...events]) {
    const { status, body } = await here.control('GET', `/timeline/${id}`);
    expect([id, status, body.error?.code]).toEqual([id, 404, 'not_found']);
  }
  const found = (await here.control('GET', `/search?account_id=${ana.id}`)).body.data;
  for (const id of [chat, lost, ...jobs]) expect(JSON.stringify(found)).not.toContain(id);
  expect((await here.control('GET', `/timeline/${before}`)).body.line.status.money.charged).toBe(1);
  expect((await here.control('GET', `/timeline/${picture}`)).body.line.status.money.charged).toBe(10);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it('reuses no id, key or secret after several restores of two snapshots [I258]', async () => {
  const here = await world({ seed: 5 });
  const ana = await here.account({ credits: 100 });
  const dealt: string[] = [];
  const play = async () => {
    const control = async (where: string, body: object) => {
      const answer = await here.control('POST', where, body);
      expect([where, answer.status, answer.body]).toEqual([where, 201, expect.anything()]);
      return answer.body;
    };
    const { id, workspaceId } = ana;
    await order(ana, '/images/generations', IMAGE);
    const job = (await ana.jobs()).at(-1);
    const [event] = (await here.control('GET', `/events?account_id=${id}`)).body.data;
    const [entry] = (await here.control('GET', `/accounts/${id}/usage`)).body.data;
    const ben = await here.account();
    await ben.post('/chat/completions', CHAT);
    const key = await control(`/accounts/${id}/keys`, {});
    const hook = (await ana.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['flow.run.failed'] })).body;
    const element = await control('/elements', { account_id: id, handle: `h${dealt.length}`, kind: 'prop', name: 'H' });
    const fault = await control('/faults', {
      match: { account_id: id, path: '/v1/audio/speech' },
      effect: { status: 503 },
    });
    const steps = [{ nodeId: 'a', type: 'text', params: { prompt: 'A word.' } }];
    const flow = await control('/flows', { workspace_id: workspaceId, account_id: id, name: 'F', steps });
    const made = [job?.id, event.id, entry.id, ben.id, ben.workspaceId, ben.key, key.id, key.api_key];
    dealt.push(...([...made, hook.id, hook.secret, element.id, fault.id, flow.id, flow.hook_url] as string[]));
  };
  await save(here, 'a');
  await play();
  await save(here, 'b');
  await play();
  await restore(here, 'a');
  await play();
  await restore(here, 'b');
  await play();
  await restore(here, 'a');
  await play();
  expect(dealt.filter((id) => typeof id !== 'string')).toEqual([]);
  expect(dealt.filter((id, at) => dealt.indexOf(id) !== at)).toEqual([]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it('restores the journal of the chosen snapshot, also after a restart [I258 I093]', async () => {
  const folder = `${emptyFolder()}/data`;
  const start = () => world({ ephemeral: false, dataDir: folder });
  const here = await start();
  const ana = await here.account({ credits: 100 });
  const chat = () => order(ana, '/chat/completions', CHAT);
  await save(here, 'a');
  const ofB = await chat();
  await save(here, 'b');
  const ofC = await chat();
  await restore(here, 'a');
  const ofD = await chat();
  expect(await requests(ana)).toEqual([ofD]);
  await restore(here, 'b');
  const ofE = await chat();
  expect(await requests(ana)).toEqual([ofB, ofE]);
  expect(await ana.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -1']);
  await here.close();

  const her = ana.in(await start());
  expect(await requests(her)).toEqual([ofB, ofE]);
  const late = await order(her, '/images/generations', IMAGE);
  expect(new Set([ofB, ofC, ofD, ofE, late]).size).toBe(5);
  expect(await her.balance()).toBe(88);
  await restore(her.world, 'b');
  expect(await requests(her)).toEqual([ofB]);
  const last = await order(her, '/chat/completions', CHAT);
  expect(await requests(her)).toEqual([ofB, last]);
  expect(await her.world.invariants()).toMatchObject({ ok: true });
});

it('records requests after it restores a snapshot from before a reset and a restart [I258 I093]', async () => {
  const folder = `${emptyFolder()}/data`;
  const start = () => world({ ephemeral: false, dataDir: folder });
  const here = await start();
  const ana = await here.account({ credits: 100 });
  const old: string[] = [];
  for (let at = 0; at < 5; at += 1) old.push(await order(ana, '/chat/completions', CHAT));
  await save(here, 'five');
  await here.control('POST', '/reset');
  await here.close();

  const her = ana.in(await start());
  await restore(her.world, 'five');
  const added = [await order(her, '/chat/completions', CHAT), await order(her, '/chat/completions', CHAT)];
  expect(await requests(her)).toEqual([...old, ...added]);
  for (const id of [...old, ...added]) expect(await request(her.world, id)).toMatchObject({ id });

  await save(her.world, 'seven');
  await restore(her.world, 'five');
  await restore(her.world, 'seven');
  const last = await order(her, '/chat/completions', CHAT);
  expect(await requests(her)).toEqual([...old, ...added, last]);
  for (const id of [...old, ...added, last]) expect(await request(her.world, id)).toMatchObject({ id });
});

it('restores a snapshot with a damaged journal, and starts an empty journal [I093]', async () => {
  const folder = `${emptyFolder()}/data`;
  const here = await world({ ephemeral: false, dataDir: folder });
  const ana = await here.account();
  await order(ana, '/chat/completions', CHAT);
  await save(here, 'a');
  const { content } = JSON.parse(readFileSync(path.join(folder, 'snapshots', 'a.json'), 'utf8'));
  writeFileSync(path.join(folder, 'snapshots', content, 'journal.db'), 'not a database');
  await restore(here, 'a');
  expect(await requests(ana)).toEqual([]);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -1']);
  const next = await order(ana, '/chat/completions', CHAT);
  expect(await requests(ana)).toEqual([next]);
});
