import { expect, it } from 'vitest';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

it('saves a consistent snapshot of a large state while requests continue [I140]', async () => {
  const here = await world();
  const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(1_000_000));
  const fixtures = texts.map((text) => ({ match: { message: text.slice(0, 20) }, answer: { text } }));
  expect((await here.control('POST', '/fixtures', { fixtures })).status).toBe(201);
  const ana = await here.account({ credits: 1_000_000 });
  await ana.post('/chat/completions', CHAT);
  let saved = false;
  const saving = here.control('POST', '/snapshots', { name: 'moment' }).finally(() => {
    saved = true;
  });
  while (!saved) expect((await ana.post('/chat/completions', CHAT)).status).toBe(200);
  expect((await saving).status).toBe(201);
  const all = await ana.ledger();
  await here.control('POST', '/snapshots/moment/restore');
  const kept = await ana.ledger();
  expect(kept.length).toBeGreaterThan(1);
  expect(kept).toEqual(all.slice(0, kept.length));
  expect(await here.invariants()).toMatchObject({ ok: true });
});
