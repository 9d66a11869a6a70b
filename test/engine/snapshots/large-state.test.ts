import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/base/database/open-sqlite.ts';
import { openReceiver } from '../../support/receiver.ts';
import { CHAT, expectError } from '../../support/wire.ts';
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

it('brings back the whole of a large state, and holds what was deleted no longer [I093 I140]', async () => {
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

it('keeps one moment of it, while others go on before and after that [I140]', async () => {
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

it.each<[string, RegExp, (file: string) => void]>([
  ['with torn pages', /damaged/, (file) => tear(file)],
  ['of a newer version', /newer svc-emulator.*Upgrade/, (file) => numbered(file, 999)],
])('refuses a large one %s, and is as before [I093 I230]', async (_what, reason, spoil) => {
  const { here, database } = await withLargeState();
  const ana = await here.account();
  await here.control('POST', '/snapshots', { name: 'bad' });
  spoil(database('bad'));
  const before = await wholeState(here);
  const refused = await here.control('POST', '/snapshots/bad/restore');
  expect(expectError(refused, 400, 'invalid_request').message).toMatch(reason);
  expect(await wholeState(here)).toEqual(before);
  expect((await ana.post('/chat/completions', CHAT)).status).toBe(200);
});

function tear(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xa5, 8192, 200_000));
}

function numbered(file: string, version: number): void {
  const db = openSqlite(file);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
}
