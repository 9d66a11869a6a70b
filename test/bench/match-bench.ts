import { rmSync } from 'node:fs';
import path from 'node:path';
import { VirtualClock } from '../../src/base/clock/clock.ts';
import { Database } from '../../src/base/database/database.ts';
import { Random } from '../../src/base/random.ts';
import type { FaultMatch, FaultTarget } from '../../src/engine/faults/fault-rule.ts';
import { FaultRules } from '../../src/engine/faults/fault-rules.ts';
import { benchFolder } from './bench-folder.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';

const RULES = 100;
const CALLS = 20_000;

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

/** What looking for a fault rule costs a request: with none set, and with a hundred of which none fits. */
export async function matchBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const clock = new VirtualClock();
  const file = path.join(folder, 'emulator.db');
  const database = new Database({ file, durable: false, clock });
  const faults = new FaultRules({ database, clock, random: new Random(1) });
  try {
    const none = row('matching a request with no fault rule, µs', 2, () => match(faults));
    for (let n = 0; n < RULES; n += 1) {
      await faults.add({ match: matchOf(n), effect: { status: 503 }, times: 0, probability: 1 });
    }
    return [none, row(`matching a request with ${RULES} fault rules, µs`, 20, () => match(faults))];
  } finally {
    clock.clear();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Half of them search the text, the others part with the request before. */
function matchOf(n: number): FaultMatch {
  if (n % 2 === 1) return n % 4 === 1 ? { path: '/v1/images' } : { model: 'svc-rp-mini' };
  return { path: '/v1/chat', model: 'svc-rp-plus', contains: `the lamp ${n}` };
}

/** What a request goes through on its way. */
function match(faults: FaultRules): void {
  if (!faults.isArmed || !faults.looksAt(TARGET)) return;
  if (faults.fitting(TARGET).length > 0) throw new Error('a rule fits that should not');
}

function row(name: string, most: number, work: () => void): BenchRow {
  const times = Array.from({ length: 11 }, () => {
    const began = performance.now();
    for (let n = 0; n < CALLS; n += 1) work();
    return ((performance.now() - began) * 1000) / CALLS;
  });
  return atMost(name, median(times), most, 3);
}
