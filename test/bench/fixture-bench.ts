import { rmSync } from 'node:fs';
import path from 'node:path';
import { VirtualClock } from '../../src/base/clock/clock.ts';
import { Database } from '../../src/base/database/database.ts';
import { Random } from '../../src/base/random.ts';
import { readCatalogue } from '../../src/engine/catalogue/catalogue.ts';
import { FileFolder } from '../../src/engine/storage/file-folder.ts';
import { Files } from '../../src/engine/storage/files.ts';
import { Fixtures } from '../../src/service/fixtures/fixtures.ts';
import { noReserve } from '../support/no-reserve.ts';
import { benchFolder } from './bench-folder.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';

const FIXTURES = 100;
const CALLS = 20_000;

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

/** What a request pays for fixtures none of which fits it, in microseconds. */
export async function fixtureBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const clock = new VirtualClock();
  const random = new Random(1);
  const database = new Database({ file: path.join(folder, 'emulator.db'), durable: false, clock });
  const places = {
    dataFolder: folder,
    scratch: path.join(folder, 'tmp'),
    durable: false,
    random,
    reserve: noReserve(folder),
  };
  const files = new Files({ folder: new FileFolder(places), db: database, clock });
  const log = { info: () => undefined, error: () => undefined };
  const parts = { database, random, clock, files, catalogue: readCatalogue(), log };
  const fixtures = new Fixtures({ ...parts, folder: undefined, only: false });
  try {
    const none = await perCall(() => fixtures.inForce && ask(fixtures));
    await fixtures.add(
      Array.from({ length: FIXTURES }, (_, n) => fixture(n)),
      () => undefined,
    );
    const hundred = await perCall(() => fixtures.inForce && ask(fixtures));
    return [
      atMost('matching a request, no fixture, µs', none, 2, 2),
      atMost(`matching a request, ${FIXTURES} fixtures, none fits, µs`, hundred, 20, 2),
    ];
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function ask(fixtures: Fixtures) {
  return fixtures.take('createChatCompletion', 'acct_bench', SUBJECT);
}

/** Median of five runs, in microseconds. */
async function perCall(call: () => unknown): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 6; run += 1) {
    const began = performance.now();
    for (let n = 0; n < CALLS; n += 1) await call();
    runs.push(((performance.now() - began) * 1000) / CALLS);
  }
  return median(runs.slice(1));
}
