import type { RunPair } from '../../control/orders/report-file.ts';
import type { Run } from '../runner/runner.ts';
import { requestName } from './step.ts';

/** Lines of a run that are compared; later ones add nothing. */
const MOST = 200;

/** Two trails side by side: the longest row of steps that both have in the same order is laid level. */
export function pairTrails(failing: Trail, undisturbed: Trail): RunPair[] {
  const [did, should] = [stepsOf(failing), stepsOf(undisturbed)];
  const common = commonLengths(did, should);
  const pairs: RunPair[] = [];
  let [left, right] = [0, 0];
  while (left < did.length || right < should.length) {
    const [one, other] = [did[left], should[right]];
    if (one !== undefined && one === other) {
      pairs.push({ did: one, should: other });
      left += 1;
      right += 1;
      continue;
    }
    const isOwn =
      other === undefined || (one !== undefined && at(common, left + 1, right) >= at(common, left, right + 1));
    pairs.push(isOwn ? { did: one, should: undefined } : { did: undefined, should: other });
    if (isOwn) left += 1;
    else right += 1;
  }
  return joined(pairs);
}

/** What each did without its time, which is never the same; of reads that repeat one is enough. */
function stepsOf(trail: Trail): string[] {
  return withoutRepeats(trail)
    .slice(0, MOST)
    .map(({ text }) => text);
}

/** How many steps both have in common from each position on. */
function commonLengths(did: readonly string[], should: readonly string[]): number[][] {
  const lengths = Array.from({ length: did.length + 1 }, () => new Array<number>(should.length + 1).fill(0));
  for (let left = did.length - 1; left >= 0; left -= 1) {
    for (let right = should.length - 1; right >= 0; right -= 1) {
      const own = lengths[left] ?? [];
      const isSame = did[left] === should[right];
      own[right] = isSame
        ? at(lengths, left + 1, right + 1) + 1
        : Math.max(at(lengths, left + 1, right), at(lengths, left, right + 1));
    }
  }
  return lengths;
}

/** What only one had and what only the other had at the same position are paired. */
function joined(pairs: readonly RunPair[]): RunPair[] {
  const rows: RunPair[] = [];
  for (const pair of pairs) {
    const open = rows.findLastIndex(({ did, should }) => did === should) + 1;
    const partner = rows.findIndex(
      (row, at) => at >= open && (pair.did === undefined ? row.should === undefined : row.did === undefined),
    );
    const row = rows[partner];
    if (row && (pair.did === undefined || pair.should === undefined)) {
      rows[partner] = { did: row.did ?? pair.did, should: row.should ?? pair.should };
    } else rows.push(pair);
  }
  return rows;
}

export function at(lengths: readonly (readonly number[])[], left: number, right: number): number {
  return lengths[left]?.[right] ?? 0;
}

/** What happened in a run, in the order of time: requests with their answers, deliveries with theirs. */
export type Trail = readonly {
  /** Milliseconds since the story began, negative before it; infinite for what was never sent. */
  at: number;
  text: string;
}[];

export function trailOf({ record, began }: Pick<Run, 'record' | 'began'>): Trail {
  const since = (time: string | null) => (time === null ? Number.POSITIVE_INFINITY : Date.parse(time) - began);
  const requests = record.requests.map(({ received_at, method, path, status, credits, cut, retry_count }) => ({
    at: since(received_at),
    text: `${requestName({ method, path })} -> ${answerText(status, cut)}${credits ? `, ${credits} credits` : ''}${retry_count ? `, retry ${retry_count}` : ''}`,
  }));
  const deliveries = record.deliveries.map(({ attempted_at, type, fault, response_status, error }) => ({
    at: since(attempted_at),
    text: `delivery ${type}${fault ? ` (${fault})` : ''} -> ${response_status ?? error ?? 'never sent'}`,
  }));
  return [...requests, ...deliveries].sort((a, b) => a.at - b.at);
}

/** Of what repeats one line is enough. */
export function withoutRepeats(trail: Trail): Trail {
  return trail.filter(({ text }, n) => text !== trail[n - 1]?.text);
}

/** A line each, with its time. */
export function trailLines(trail: Trail): string[] {
  return trail.map(({ at: time, text }) =>
    Number.isFinite(time) ? `${String(Math.max(0, Math.round(time))).padStart(6)} ms  ${text}` : `       -   ${text}`,
  );
}

function answerText(status: number, cut: boolean | undefined): string {
  if (status === 0) return 'connection reset';
  return cut ? `${status}, but the connection was over before the answer was` : String(status);
}
