import path from 'node:path';
import { Random } from '../../src/base/random.ts';
import { readCatalogue } from '../../src/engine/catalogue/catalogue.ts';
import type { FaultMatch, FaultTarget } from '../../src/engine/faults/fault-rule.ts';
import { FaultRules } from '../../src/engine/faults/fault-rules.ts';
import { FileFolder } from '../../src/engine/storage/file-folder.ts';
import { Files } from '../../src/engine/storage/files.ts';
import { Fixtures } from '../../src/service/fixtures/fixtures.ts';
import { atMost, type BenchRow, medianTime } from './bench-row.ts';
import { withDatabase } from './bench-server.ts';

const RULES = 100;
const CALLS = 20_000;

/** What a request pays for what may apply to it: with none set, and with a hundred of which none fits. */
export async function matchBench(): Promise<BenchRow[]> {
  return [...(await faultRows()), ...(await fixtureRows())];
}

async function row(name: string, most: number, call: () => unknown): Promise<BenchRow> {
  const ms = await medianTime(11, async () => {
    for (let n = 0; n < CALLS; n += 1) {
      const called = call();
      if (called instanceof Promise) await called;
    }
  });
  return atMost(`matching a request, ${name}, µs`, (ms * 1000) / CALLS, most, 3);
}

/** A chat of three turns and 400 characters. */
const TARGET: FaultTarget = {
  path: '/v1/chat/completions',
  accountId: 'acct_1',
  model: 'svc-rp-plus',
  text: Array.from({ length: 3 }, () => 'The lamp burns on the pier tonight. '.repeat(4)).join('\0'),
  paid: 'chat.completion',
  surface: 'service' as const,
  method: 'POST',
  takes: 1,
  announces: false,
  streamed: true,
  directives: {},
};

function faultRows(): Promise<BenchRow[]> {
  return withDatabase(async ({ database, clock }) => {
    const faults = new FaultRules({ database, clock, random: new Random(1) });
    const match = () => {
      if (!faults.isArmed || !faults.looksAt(TARGET)) return;
      if (faults.uses.fitting(TARGET).length > 0) throw new Error('a rule fits that should not');
    };
    const none = await row('no fault rule', 2, match);
    for (let n = 0; n < RULES; n += 1) {
      await faults.add({ match: matchOf(n), effect: { status: 503 }, times: 0, probability: 1 });
    }
    return [none, await row(`${RULES} fault rules`, 20, match)];
  });
}

/** Half of them search the text, the others differ from the request before. */
function matchOf(n: number): FaultMatch {
  if (n % 2 === 1) return n % 4 === 1 ? { path: '/v1/images' } : { model: 'svc-rp-mini' };
  return { path: '/v1/chat', model: 'svc-rp-plus', contains: `the lamp ${n}` };
}

const SUBJECT = {
  model: 'svc-rp-mini',
  message: 'Please tell me whether the lantern on the pier is lit tonight, and who lit it. '.repeat(4),
  turn: 3,
};

/** One in four of each: an expression, a whole text, a part of a text, and a part with a model and a turn. */
function fixture(n: number) {
  const message = [
    { regex: `(?i)order ${n}\\b` },
    { equals: `Message ${n}` },
    { contains: `part ${n}` },
    { contains: `lamp ${n}` },
  ][n % 4];
  const more = n % 4 === 3 ? { model: 'svc-rp-mini', turn: 3 } : {};
  return { match: { message, ...more }, answer: { text: 'x' } } as never;
}

function fixtureRows(): Promise<BenchRow[]> {
  return withDatabase(async ({ database, clock, folder }) => {
    const random = new Random(1);
    const paths = { dataFolder: folder, scratch: path.join(folder, 'tmp'), durable: false };
    const files = new Files({
      folder: new FileFolder({ ...paths, random }),
      db: database,
      clock,
    });
    const log = { info: () => undefined, error: () => undefined };
    const parts = { database, random, clock, files, catalogue: readCatalogue(), log };
    const fixtures = new Fixtures({ ...parts, folder: undefined, only: false });
    const match = () => fixtures.inForce && fixtures.take('createChatCompletion', 'acct_bench', SUBJECT);
    const none = await row('no fixture', 2, match);
    await fixtures.add(
      Array.from({ length: RULES }, (_, n) => fixture(n)),
      () => undefined,
    );
    return [none, await row(`${RULES} fixtures, none fits`, 20, match)];
  });
}
