import { expect, it } from 'vitest';
import type { CrashPoint } from '../../src/engine/faults/applied-fault.ts';
import { startProgram } from '../cli/spawned-program.ts';
import { CHAT, fileForm } from '../support/wire.ts';
import { world } from '../support/world.ts';

const unsupervised = await world();

const chat = () => ({ path: '/chat/completions', body: CHAT });
const slow = () => ({ path: '/chat/completions', body: { ...CHAT, context: '[[slow:600]]' } });
const failing = () => ({ path: '/chat/completions', body: { ...CHAT, context: '[[fail]]' } });
const keeping = () => ({ path: '/storage/objects', body: fileForm() });

it('charges nothing for work that dies with its charge, gives back what was held back, and keeps what was kept [I204 I106 I211 R005]', async () => {
  const { program, url, here } = await startProgram(['--supervise', '--ephemeral', '--log', 'silent']);
  const rows: [() => { path: string; body: unknown }, CrashPoint, string[]][] = [
    [chat, 'after_charge', []],
    [chat, 'after_work', []],
    [chat, 'after_settle', ['charge -1']],
    [slow, 'after_settle', ['charge -1', 'refund 1']],
    [failing, 'after_settle', ['charge -1', 'refund 1']],
    [keeping, 'after_work', []],
    [keeping, 'after_settle', ['charge -2']],
  ];
  for (const [position, [order, point, money]] of rows.entries()) {
    const ana = await here.account();
    const rule = { match: { account_id: ana.id }, effect: { crash: point } };
    expect((await here.control('POST', '/faults', rule)).status).toBe(201);
    const { path, body } = order();
    await expect(ana.post(path, body)).rejects.toThrow();
    expect(await program.ready(position + 2)).toBe(url);
    expect(await ana.ledger()).toEqual(['grant 50', ...money]);
    const objects = (await ana.get('/storage/objects')).body.data;
    expect(objects).toHaveLength(path === '/storage/objects' && money.length > 0 ? 1 : 0);
    expect((await ana.post('/chat/completions', CHAT)).status).toBe(200);
  }
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it.each<CrashPoint>(['after_charge', 'after_work', 'after_settle', 'before_delivery'])(
  'refuses a rule that crashes %s where nobody would start the process again, and says how [I204]',
  async (crash) => {
    const ana = await unsupervised.account();
    const rule = { match: { account_id: ana.id }, effect: { crash } };
    const { status, body } = await unsupervised.control('POST', '/faults', rule);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'effect.crash']);
    expect(body.error.message).toContain('--supervise');
    const kept = await unsupervised.control('GET', `/faults?account_id=${ana.id}`);
    expect(kept.body.data).toEqual([]);
    expect((await ana.post('/images/generations', { prompt: 'a kite' })).status).toBe(200);
  },
);
