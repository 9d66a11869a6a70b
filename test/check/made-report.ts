import { failedCheck } from '../../src/check/faults/failed-check.ts';
import type { FaultFinding } from '../../src/check/faults/finding-book.ts';
import type { FaultResults } from '../../src/check/faults/search-run.ts';
import { makeReport, type ReportParts } from '../../src/check/make-report.ts';
import { Selection } from '../../src/check/selection.ts';

const AGAIN = { program: ['npx', 'svc-emulator'], words: ['--', 'npm', 'test'] };

/** A failure under these faults. */
export function findingOf(names: readonly string[], more: Partial<FaultFinding> = {}): FaultFinding {
  const scenario = names.map((fault) => ({ step: 'delivery music.generation.succeeded #1', fault }));
  const kind = more.kind ?? 'exit';
  return {
    ...{ token: `c1-${names.join('')}`, scenario, check: failedCheck({ scenario, kind, ...more }), kind },
    ...{
      message: 'It failed.',
      seen: 1,
      output: '',
      also: [],
      timeline: ['1 ms: POST /v1/chat/completions -> 500'],
      ...more,
    },
  };
}

export function resultsOf(findings: readonly FaultFinding[], more: Partial<FaultResults> = {}): FaultResults {
  const names = new Set(findings.flatMap(({ scenario }) => scenario.map(({ fault }) => fault)));
  const tried = [...names].map((name) => ({ name, isTried: true, isGood: false }));
  return {
    ...{ steps: 3, planned: names.size, judged: names.size, runs: findings.length, tried },
    ...{ findings, unstable: [], unconfirmed: [], expectsSuccess: [], deadTests: [], ...more },
  };
}

/** The report of a search that ended with these results. */
export function reportOf(faults: FaultResults | undefined, more: Partial<ReportParts> = {}) {
  return makeReport({
    head: { version: '0.1.0', command: 'npm test', seed: 1, commit: null },
    outcome: { faults },
    settings: { selection: new Selection({}), require: [], replay: undefined, shard: { index: 1, of: 1 } },
    ...{ baseline: undefined, isWritten: false, again: AGAIN, seconds: 3, today: '2027-01-01' },
    ...{ hasAssert: false, hasApp: false, ...more },
  });
}
