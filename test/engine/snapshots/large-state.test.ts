import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openReceiver } from '../../support/receiver.ts';
import { CHAT } from '../../support/wire.ts';
import { onFolder } from './on-folder.ts';
import { playAll, wholeState } from './whole-state.ts';

/** An emulator with a database of more than five megabytes. */
async function withLargeState() {
  const { here, database } = await onFolder();
  const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(1_000_000));
  const fixtures = texts.map((text) => ({ match: { message: text.slice(0, 20) }, answer: { text } }));
  expect((await here.control('POST', '/fixtures', { fixtures })).status).toBe(201);
  return { here, database };
}

it('restores a large state completely, and releases deleted files [I093 I140]', async () => {
  const { here, database } = await withLargeState();
  const receiver = await openReceiver();
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  const ana = await here.account({ credits: 500 });
  await playAll(ana, receiver);
  await here.advance(60);
  await ana.delivered();
  const before = await wholeState(here);
  expect((await here.control('POST', '/snapshots', { name: 'large' })).status).toBe(201);
  await here.control('DELETE', '/fixtures');
  await ana.post('/chat/completions', CHAT);
  const sent = receiver.requests.length;
  await here.control('POST', '/snapshots', { name: 'small' });
  expect(readFileSync(database('small')).includes('a'.repeat(1000))).toBe(false);
  expect((await here.control('POST', '/snapshots/large/restore')).status).toBe(200);
  expect(await wholeState(here)).toEqual(before);
  expect(receiver.requests).toHaveLength(sent);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it('saves a snapshot of one moment while requests continue [I140]', async () => {
  const { here } = await withLargeState();
  const ana = await here.account({ credits: 500 });
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
