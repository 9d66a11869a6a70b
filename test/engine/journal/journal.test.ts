import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Journal } from '../../../src/engine/journal/journal.ts';
import type { JournalBodies, JournalEntry } from '../../../src/engine/journal/journal-record.ts';
import { redact, redactBody } from '../../../src/engine/journal/redaction.ts';
import type { JournalRecord } from '../../../src/engine/journal/request-schemas.ts';
import { openDatabase } from '../../support/open-database.ts';

const ENTRY: Omit<JournalRecord, 'id'> = {
  ...{ account_id: 'acct_a', key_id: null, method: 'GET', path: '/v1/models', operation: null },
  ...{ status: 200, created: 0, began: 0, duration_ms: 0, retry_count: 0, credits: null },
  ...{ charges: [], job_ids: [] },
};

const BODIES = { request: null, answer: null };

const noted = (record: JournalRecord, bodies: JournalBodies = BODIES) => ({
  journalEpoch: 0,
  record: () => ({ record, bodies }),
});

const requestId = (n: number) => `req_0123456789ab${n.toString(36).padStart(7, '0')}`;

function openJournal(): Journal {
  const { folder, clock } = openDatabase();
  const onError = (error: unknown) => expect(error).toBeUndefined();
  const journal = new Journal({ clock, file: path.join(folder, 'journal.db'), limit: 10_000, onError });
  onTestFinished(() => journal.close());
  return journal;
}

/** Newest first. */
async function allIn(journal: Journal): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const piece of journal.search({ limit: 1_000_000 }, {})) entries.push(...piece);
  return entries;
}

it('keeps the newest requests in the journal, up to about its limit [I157]', async () => {
  const journal = openJournal();
  for (let n = 1; n <= 11_000; n += 1) journal.note(noted({ ...ENTRY, id: requestId(n) }));
  const kept = await allIn(journal);
  expect(kept[0]?.id).toBe(requestId(11_000));
  expect(kept.length).toBeGreaterThan(9_500);
  expect(kept.length).toBeLessThan(10_600);
});

it('copies and restores a long journal in several turns of the event loop, and records a request during the copy [I258]', async () => {
  const journal = openJournal();
  const { folder } = openDatabase();
  const copy = path.join(folder, 'copy.db');
  const body = 'x'.repeat(10_000);
  for (let n = 1; n <= 9900; n += 1) {
    journal.note(noted({ ...ENTRY, id: requestId(n) }, { request: null, answer: body }));
  }
  // Work that never yields to the event loop takes one turn.
  const duringTurns = async (work: Promise<void>) => {
    let [turns, isOver] = [0, false];
    const ended = work.finally(() => {
      isOver = true;
    });
    for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    await ended;
    return turns;
  };
  const copied = journal.copyTo(copy);
  journal.note(noted({ ...ENTRY, id: requestId(9901) }));
  expect(journal.find(requestId(9901))?.id).toBe(requestId(9901));
  expect(await duringTurns(copied)).toBeGreaterThan(1);
  expect(await duringTurns(journal.restore(copy))).toBeGreaterThan(1);
  const restored = await allIn(journal);
  expect([restored.length, restored[0]?.id, restored.at(-1)?.id]).toEqual([9900, requestId(9900), requestId(1)]);
});

it.each([
  ['{"k":"svc\\u005fsk_local_emulator"}', '{"k":"svc\\u005fsk_…"}'],
  [
    '{"k":"\\u0073\\u0076\\u0063\\u005F\\u0073\\u006B\\u005flocal"}',
    '{"k":"\\u0073\\u0076\\u0063\\u005F\\u0073\\u006B\\u005f…"}',
  ],
  ['{"k":"svc_sk_\\u006cocal_emul\\u0061tor"}', '{"k":"svc_sk_…"}'],
  ['{"k":"{\\"k\\":\\"whse\\\\u0063_0123456789\\"}"}', '{"k":"{\\"k\\":\\"whse\\\\u0063_…\\"}"}'],
  ['{"k":"\\u00e9 is no key"}', '{"k":"\\u00e9 is no key"}'],
])('masks only keys, also if JSON escapes spell them: %s is recorded as %s [I231]', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

it('records a body up to its limit, and masks a key that the limit divides [I157]', () => {
  const key = `svc_sk_${'A'.repeat(32)}`;
  expect(redactBody('short')).toBe('short');
  expect(redactBody(`${'x'.repeat(16_370)}${key}`)).toMatch(/svc_sk_…… \[cut: 16409 characters in all\]$/);
});
