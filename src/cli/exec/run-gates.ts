import { choiceSuffixOfFinding } from '../../base/package/choice-table.ts';
import { asOneLine, countWithNoun } from '../../base/text.ts';
import { describeSpendIncrease, type SpendBaseline } from '../../check/spend.ts';
import type { RunSummary } from './run-summary.ts';

export interface GateFlags {
  minRequests?: number | undefined;
  maxCredits?: number;
  requireBaseline?: boolean;
  /** The allowed increase as a share: 0.1 means 10 %. */
  maxIncrease?: number | undefined;
  failOnVerdict?: boolean;
  allow?: readonly string[];
  failOnUnusedFault?: boolean;
}

export interface GateResult {
  name: string;
  complaint: string | null;
}

interface CountedRun {
  report: RunSummary;
  baseline: SpendBaseline | undefined;
}

type Complaint = (run: CountedRun, flags: GateFlags) => string | undefined;

const GATES: Readonly<Partial<Record<keyof GateFlags, Complaint>>> = {
  minRequests({ report }, { minRequests = 0 }) {
    if (report.answered >= minRequests) return undefined;
    return `The run made ${countWithNoun(report.answered, 'request')} to the service; expected at least ${minRequests}. ${unroutedText(report)}Make the application read its base URL from OPENAI_BASE_URL, which ends in /v1, or from SVC_BASE_URL, whose paths begin with /v1; --min-requests 0 allows it.`;
  },
  maxCredits({ report: { credits } }, { maxCredits = Number.POSITIVE_INFINITY }) {
    if (credits <= maxCredits) return undefined;
    return `The run cost ${countWithNoun(credits, 'credit')}; expected at most ${maxCredits} (--max-credits).`;
  },
  requireBaseline({ baseline }) {
    if (baseline) return undefined;
    return 'There is no baseline to compare with; write one with --report and commit it, or leave --require-baseline out.';
  },
  maxIncrease({ report, baseline }, { maxIncrease = 0 }) {
    if (!baseline || report.credits <= baseline.credits * (1 + maxIncrease)) return undefined;
    const allowed = `${Math.round(maxIncrease * 1000) / 10}%`;
    return `The run cost ${countWithNoun(report.credits, 'credit')}, ${describeSpendIncrease(report, baseline)} than the baseline's ${baseline.credits}; expected at most ${allowed} more (--max-increase).`;
  },
  failOnVerdict({ report }, { allow = [] }) {
    const [first, ...others] = report.findings.filter(({ finding }) => !allow.includes(finding));
    if (!first) return undefined;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `The verdict has ${countWithNoun(others.length + 1, 'finding')} (--fail-on-verdict): ${first.finding}: ${first.message}${choiceSuffixOfFinding(first.finding)} ${first.remedy}${more}`;
  },
  failOnUnusedFault({ report: { unused_faults: unused } }) {
    if (unused.length === 0) return undefined;
    return `${countWithNoun(unused.length, 'fault rule')} never applied (--fail-on-unused-fault), such as ${unused[0]}. Change its match so that it fits the requests of the test.`;
  },
};

function unroutedText({ answered, requests, astray }: RunSummary): string {
  const others = requests - answered;
  return others === 0 ? '' : `${countWithNoun(others, 'request')} matched no endpoint; the response was: ${astray} `;
}

export function evaluateGates(run: CountedRun, flags: GateFlags): GateResult[] {
  return Object.entries(GATES).flatMap(([key, complaint]) => {
    const value = flags[key as keyof GateFlags];
    if (value === undefined || value === false) return [];
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const text = complaint(run, flags);
    return [{ name, complaint: text === undefined ? null : asOneLine(text) }];
  });
}
