import { findAdviceForCause } from '../../src/check/advice.ts';
import type { FailureFinding } from '../../src/check/failure-finding.ts';
import { checkIdOfFailedScenario, type Failure } from '../../src/check/faults/failed-check.ts';
import { describeFault, makeScenarioId } from '../../src/check/faults/fault-at.ts';
import type { Site } from '../../src/check/faults/site.ts';
import { makeReport, type ReportInput } from '../../src/check/make-report.ts';
import { makeScenario, type Scenario } from '../../src/check/plan.ts';
import { CheckResults } from '../../src/check/results.ts';
import { FaultAndCheckSelection } from '../../src/check/selection.ts';
import { madeRequest, madeRun } from './faults/made-run.ts';

const AGAIN = { program: ['npx', 'svc-emulator'], words: ['--', 'npm', 'test'] };
const DELIVERY = 'delivery music.generation.succeeded #1';

export function scenarioAt(names: readonly string[], name = DELIVERY): Scenario {
  const at: Site = { name, kind: 'delivery', about: [], match: {}, traits: {} };
  return makeScenario(names.map((fault) => ({ fault, site: name, at })));
}

interface More {
  site?: string;
  failure?: Failure;
  assertion?: string;
  finding?: Partial<FailureFinding['finding']>;
}

/** A finding whose scenario has these faults. */
export function foundOf(
  names: readonly string[],
  { site, failure, assertion = '', finding }: More = {},
): FailureFinding {
  const scenario = scenarioAt(names, site);
  const { faults } = scenario;
  const seen: Failure = failure ?? { kind: 'exit', message: 'It failed.' };
  const check = checkIdOfFailedScenario({ scenario: faults, ...seen });
  const advice = findAdviceForCause({ scenario: faults, check, ...seen });
  return {
    ...{ scenario, failure: seen, assertion },
    finding: {
      ...{ token: `c1-${names.join('')}`, also: [], check, kind: 'fault', title: faults.map(describeFault).join('; ') },
      ...{
        happened: [seen.message, '1 ms: POST /v1/chat/completions -> 500'],
        ...(advice !== undefined && { advice }),
      },
      ...finding,
    },
  };
}

const BASELINE = {
  runs: [madeRun({ record: { requests: [madeRequest()] } })],
  ...{ sites: [], numbering: new Map(), ms: 5000, verdicts: [] },
};

/** Scenarios without findings, by their outcome. */
interface MadeScenarios {
  passed?: Scenario[];
  unmet?: Scenario[];
  untried?: Scenario[];
}

/** The results of a search with these scenarios. */
export function resultsOf(
  findings: readonly FailureFinding[],
  { passed = [], unmet = [], untried = [], ...more }: MadeScenarios & Partial<CheckResults> = {},
): CheckResults {
  const failed = findings.map(({ scenario: { faults } }) => makeScenario(faults));
  const distinct = [...new Map(failed.map((each) => [makeScenarioId(each.faults), each])).values()];
  const tried = [
    ...distinct.map((scenario) => ({ scenario, outcome: 'failed' as const })),
    ...passed.map((scenario) => ({ scenario, outcome: 'passed' as const })),
    ...unmet.map((scenario) => ({ scenario, outcome: 'unmet' as const })),
  ];
  const planned = [...tried.map(({ scenario }) => scenario), ...untried];
  return Object.assign(new CheckResults(), {
    baseline: BASELINE,
    findings,
    tried,
    planned,
    runs: tried.length,
    ...more,
  });
}

/** The settings of a search for these checks and faults, or for all of them. */
export function settingsOf(only: readonly string[] = []): ReportInput['settings'] {
  return {
    selection: new FaultAndCheckSelection({ only }),
    require: [],
    replay: undefined,
    shard: { index: 1, of: 1 },
  };
}

export function reportOf(results: CheckResults, more: Partial<ReportInput> = {}) {
  return makeReport({
    head: { version: '0.1.0', command: 'npm test', seed: 1, commit: null },
    results,
    settings: settingsOf(),
    ...{ baseline: undefined, isWritten: false, again: AGAIN, seconds: 3, today: '2027-01-01' },
    ...{ hasAssert: false, hasApp: false, ...more },
  });
}
