import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { CHAT } from '../../support/wire.ts';
import { ephemeral, SHARED_RENDERS, type TestAccount, World, world } from '../../support/world.ts';

const IMAGE = { prompt: 'a pier' };

const save = (here: World, name: string) => here.control('POST', '/snapshots', { name });
async function restore(here: World, name: string): Promise<void> {
  expect((await here.control('POST', `/snapshots/${name}/restore`)).status).toBe(200);
}

/** Sends an order; answers the id of its request. */
async function order(account: TestAccount, path: string, body: object): Promise<string> {
  const { status, headers } = await account.post(path, body);
  expect(status).toBeLessThan(300);
  return headers.get('x-request-id') ?? '';
}

async function request(here: World, id: string) {
  return (await here.control('GET', `/requests/${id}`)).body;
}

/** How much the order of a request costs, and whether it is discarded: as Live, timeline and explain have it. */
async function shown(here: World, id: string) {
  const [line] = (await here.control('GET', `/orders?ids=${id}`)).body.data;
  const { body: timeline } = await here.control('GET', `/timeline/${id}`);
  const { body: told } = await here.control('GET', `/explain/${id}`);
  const charged = told.steps.find(({ kind }: { kind: string }) => kind === 'charged');
  expect([timeline.id, timeline.line.status, timeline.discarded]).toEqual([id, line.status, line.discarded]);
  expect(told.discarded).toBe(line.discarded);
  const spent = Number(/(\d+) credits? charged/.exec(told.summary)?.[1]);
  expect(spent).toBe(line.status.money.charged);
  return {
    credits: spent,
    discarded: line.discarded === true,
    says: line.status.says,
    charged: charged.text,
    timeline,
  };
}

it('keeps the money and jobs of a discarded future apart from what came after the restore, and marks it [I258 I093]', async () => {
  const here = await world();
  const ana = await here.account({ credits: 100 });
  const before = await order(ana, '/chat/completions', CHAT);
  await save(here, 'a');
  const chat = await order(ana, '/chat/completions', CHAT);
  const lost = await order(ana, '/images/generations', { prompt: 'a kite' });
  const [gone] = (await request(here, lost)).job_ids;
  await restore(here, 'a');
  const picture = await order(ana, '/images/generations', IMAGE);

  const [was, is] = [await request(here, lost), await request(here, picture)];
  expect(is.job_ids).not.toEqual(was.job_ids);
  expect(is.charges).not.toEqual(was.charges);
  expect(await ana.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -10']);
  expect(await shown(here, before)).toMatchObject({ credits: 1, discarded: false });
  expect(await shown(here, picture)).toMatchObject({ credits: 10, discarded: false, says: 'done' });
  const ofChat = await shown(here, chat);
  const [charge] = (await request(here, chat)).charges;
  expect(ofChat).toMatchObject({ credits: 1, discarded: true, says: 'Discarded by a restore' });
  expect(ofChat.charged).toBe('Charged 1 credit');
  const money = ofChat.timeline.steps.filter(({ kind }: { kind: string }) => kind === 'charged');
  expect(money).toMatchObject([{ id: charge, text: 'Charged 1 credit' }]);
  expect(await shown(here, lost)).toMatchObject({ credits: 10, discarded: true });
  expect(was).toMatchObject({ discarded: true, credits: 10, event_ids: [], delivery_ids: [] });
  expect(is).not.toHaveProperty('discarded');
  expect(is.event_ids).toHaveLength(1);

  // By the ids of what is gone the order is found to which it belonged.
  for (const id of [gone, charge, gone.replace('job_', 'evt_'), gone.replace('job_', 'lib_')]) {
    const { status, body } = await here.control('GET', `/timeline/${id}`);
    expect([id, status, body.id, body.made]).toEqual([id, 200, id === charge ? chat : lost, []]);
  }
  const found = (await here.control('GET', `/search?account_id=${ana.id}`)).body.data;
  const marked = found.filter(({ discarded }: { discarded?: true }) => discarded).map(({ id }: { id: string }) => id);
  expect(marked.toSorted()).toEqual([chat, lost].toSorted());
  const lines = (await here.control('GET', `/requests?brief=true&account_id=${ana.id}`)).body.data;
  expect(lines.map(({ id, discarded }: { id: string; discarded?: true }) => [id, discarded === true])).toEqual([
    [picture, false],
    [lost, true],
    [chat, true],
    [before, false],
  ]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it('deals no id, key or secret again after a restore, of whatever kind, whichever snapshot is gone back to [I258]', async () => {
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

it('shows of several futures that one as it is which was gone back to, also after a restart [I258 I093]', async () => {
  const folder = `${emptyFolder()}/data`;
  const start = () => startEmulator(ephemeral({ ephemeral: false, dataDir: folder }), SHARED_RENDERS);
  const first = await start();
  const here = new World(first);
  const ana = await here.account({ credits: 100 });
  const requests: Record<string, string> = {};
  const chat = async (name: string) => {
    requests[name] = await order(ana, '/chat/completions', CHAT);
  };
  const discarded = async (at: World) => {
    const names = Object.keys(requests);
    const views = await Promise.all(names.map((name) => request(at, requests[name] ?? '')));
    return names.filter((_, n) => views[n].discarded);
  };
  await save(here, 'a');
  await chat('b');
  await save(here, 'b');
  await chat('c');
  await restore(here, 'a');
  await chat('d');
  expect(await discarded(here)).toEqual(['b', 'c']);
  await restore(here, 'b');
  await chat('e');
  expect(await discarded(here)).toEqual(['c', 'd']);
  expect(await ana.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -1']);
  await first.close();

  const second = await start();
  const again = new World(second);
  const her = ana.in(again);
  expect(await discarded(again)).toEqual(['c', 'd']);
  const late = await order(her, '/images/generations', IMAGE);
  const charges = await Promise.all([...Object.values(requests), late].map((id) => request(again, id)));
  const ids = charges.flatMap((view) => view.charges);
  expect(new Set(ids).size).toBe(5);
  expect(await shown(again, requests.e ?? '')).toMatchObject({ credits: 1, discarded: false });
  expect(await shown(again, requests.d ?? '')).toMatchObject({ credits: 1, discarded: true });
  expect(await her.balance()).toBe(88);
  expect(await again.invariants()).toMatchObject({ ok: true });
  await second.close();
});

it('takes all that was on record for discarded after a restore of a snapshot from before a reset [I258]', async () => {
  const here = await world();
  await save(here, 'b');
  await here.control('POST', '/reset');
  const owner = await here.first();
  const reborn = await order(owner, '/images/generations', IMAGE);
  expect(await shown(here, reborn)).toMatchObject({ credits: 10, discarded: false });
  await restore(here, 'b');
  expect(await shown(here, reborn)).toMatchObject({ credits: 10, discarded: true });
  expect(await here.invariants()).toMatchObject({ ok: true });
});
