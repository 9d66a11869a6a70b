import { counted } from '../base/counted.ts';
import { choiceOfFinding } from '../base/package/choice-table.ts';
import { type Baseline, increaseOver } from '../check/spend/print-run-report.ts';
import type { RunReport } from '../check/spend/run-report.ts';

/** What a run is held to: each is a flag of `exec`. */
export interface GateFlags {
  maxCredits?: number;
  /** A share of the baseline's spend: 0.1 for 10%. */
  maxIncrease?: number;
  requireBaseline?: boolean;
  failOnVerdict?: boolean;
  /** Codes of the verdict that fail no run. */
  allow?: readonly string[];
  failOnUnstruck?: boolean;
  /** Requests that an operation has answered. */
  minRequests: number;
}

/** What gates look at: a run that has ended. */
export interface EndedRun {
  report: RunReport;
  /** Undefined where none was named, or there is none yet. */
  baseline: Baseline | undefined;
}

/** Whether a run has passed a gate that it was held to. */
export interface GateResult {
  /** The flag without its dashes. */
  name: string;
  /** Fact, expectation and remedy; undefined where the gate is passed. */
  complaint: string | undefined;
}

interface Gate {
  name: string;
  isSet(flags: GateFlags): boolean;
  complaint(run: EndedRun, flags: GateFlags): string | undefined;
}

const GATES: readonly Gate[] = [
  {
    name: 'min-requests',
    isSet: ({ minRequests }) => minRequests > 0,
    complaint({ report }, { minRequests }) {
      if (report.answered >= minRequests) return undefined;
      return `The run made ${counted(report.answered, 'request')} to the service; expected at least ${minRequests}. ${unroutedText(report)}Have the application read its base URL from OPENAI_BASE_URL, which ends in /v1, or from SVC_BASE_URL, whose paths begin with /v1; --min-requests 0 allows it.`;
    },
  },
  {
    name: 'max-credits',
    isSet: ({ maxCredits }) => maxCredits !== undefined,
    complaint({ report: { credits } }, { maxCredits = Number.POSITIVE_INFINITY }) {
      if (credits <= maxCredits) return undefined;
      return `The run cost ${counted(credits, 'credit')}; expected at most ${maxCredits} (--max-credits).`;
    },
  },
  {
    name: 'require-baseline',
    isSet: ({ requireBaseline }) => requireBaseline === true,
    complaint({ baseline }) {
      return baseline
        ? undefined
        : 'There is no baseline to compare with; write one with --report and commit it, or leave --require-baseline out.';
    },
  },
  {
    name: 'max-increase',
    isSet: ({ maxIncrease }) => maxIncrease !== undefined,
    complaint({ report, baseline }, { maxIncrease = 0 }) {
      if (!baseline || report.credits <= baseline.credits * (1 + maxIncrease)) return undefined;
      const allowed = `${Math.round(maxIncrease * 1000) / 10}%`;
      return `The run cost ${counted(report.credits, 'credit')}, ${increaseOver(report, baseline)} than the baseline's ${baseline.credits}; expected at most ${allowed} more (--max-increase).`;
    },
  },
  {
    name: 'fail-on-verdict',
    isSet: ({ failOnVerdict }) => failOnVerdict === true,
    complaint({ report }, { allow = [] }) {
      const findings = report.findings.filter(({ finding }) => !allow.includes(finding));
      const [first] = findings;
      if (!first) return undefined;
      const more = findings.length > 1 ? ` and ${findings.length - 1} more` : '';
      return `The verdict has ${counted(findings.length, 'finding')} (--fail-on-verdict): ${first.finding}: ${first.message} (choice ${choiceOfFinding(first.finding)}) ${first.remedy}${more}`;
    },
  },
  {
    name: 'fail-on-unstruck',
    isSet: ({ failOnUnstruck }) => failOnUnstruck === true,
    complaint({ report: { unstruck_faults: unstruck } }) {
      const [first] = unstruck;
      if (!first) return undefined;
      return `${counted(unstruck.length, 'fault rule')} never used (--fail-on-unstruck), such as ${first}. Make its match fit what the test sends.`;
    },
  },
];

/** What came that was for no operation: mostly a base URL with /v1 twice, or not at all. */
function unroutedText({ answered, requests, astray: unrouted }: RunReport): string {
  const others = requests - answered;
  return others === 0 ? '' : `${counted(others, 'request')} matched no endpoint; the response was: ${unrouted} `;
}

/** Every gate that a run was held to, in the order of the list. */
export function judgeRun(run: EndedRun, flags: GateFlags): GateResult[] {
  return GATES.filter((gate) => gate.isSet(flags)).map((gate) => ({
    name: gate.name,
    complaint: gate.complaint(run, flags),
  }));
}
