import { assertionIn, withoutNumbers } from '../../base/output/output-line.ts';
import type { CheckId } from '../checks.ts';
import type { TestPlace } from '../report.ts';
import type { Run } from '../runner/runner.ts';
import { type FailureKind, failedCheck } from './failed-check.ts';
import { entryKey, keyOf, type Scenario, type ScenarioEntry } from './scenario.ts';
import { kindOf } from './search-order.ts';
import { withoutNumber } from './step.ts';

export interface Failure {
  kind: FailureKind;
  message: string;
  code?: string;
  remedy?: string;
}

export function isSameFailure(a: Pick<Failure, 'kind' | 'code'>, b: Pick<Failure, 'kind' | 'code'>): boolean {
  return a.kind === b.kind && a.code === b.code;
}

/** A client can avoid it only by not retrying, so it is reported last, and once for all such payments. */
export function isPaidAgain({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'paid_again';
}

export interface FailedRun {
  run: Run;
  failure: Failure;
}

export interface FaultFinding extends Pick<Failure, 'kind' | 'message' | 'code' | 'remedy'> {
  token: string;
  /** Tokens of other findings of the same cause. Each was printed, or is another form of it. */
  also: readonly string[];
  scenario: Scenario;
  check: CheckId;
  seen: number;
  output: string;
  /** The test that failed, or the test whose step had the fault. */
  test?: TestPlace & { failed: boolean };
  error?: string;
  timeline: readonly string[];
}

type Counted = Pick<
  FaultFinding,
  'token' | 'also' | 'check' | 'scenario' | 'kind' | 'code' | 'message' | 'output' | 'seen'
>;

export class FindingBook {
  readonly findings: FaultFinding[] = [];
  readonly unstable: FaultFinding[] = [];
  /** Failed once, without time for a second run. */
  readonly #unconfirmed: FaultFinding[] = [];
  readonly #passed = new Set<string>();

  get unconfirmed(): FaultFinding[] {
    return this.#unconfirmed.filter(({ scenario, ...failure }) => !this.has(scenario, [failure]));
  }

  repeats(scenario: Scenario, failures: readonly Failure[]): boolean {
    const same = this.#same(scenario, failures);
    if (same) same.seen += 1;
    return same !== undefined;
  }

  has(scenario: Scenario, failures: readonly Failure[]): boolean {
    return this.#same(scenario, failures) !== undefined;
  }

  /** Another failure next to `paid_again` decides whether this is a repetition. */
  #same(scenario: Scenario, failures: readonly Failure[]): FaultFinding | undefined {
    const others = failures.filter((failure) => !isPaidAgain(failure));
    const judged = others.length > 0 ? others : failures;
    return this.findings.find((each) => judged.some((failure) => isRepeated(each, { scenario, ...failure })));
  }

  add(finding: FaultFinding): FaultFinding {
    return addFinding(this.findings, finding);
  }

  hasPassed(scenario: Scenario): boolean {
    return this.#passed.has(keyOf(scenario));
  }

  notePassed(scenario: Scenario): void {
    this.#passed.add(keyOf(scenario));
  }

  /** A finding that was printed stays in the report, whatever its smallest form is. */
  keepPrinted(printed: FaultFinding, finding: FaultFinding | undefined): void {
    const { token } = printed;
    const head = finding ?? this.findings.find((each) => isRepeated(each, printed));
    if (!head) this.add(printed);
    else if (head.token !== token && !head.also.includes(token)) head.also = [...head.also, token];
  }

  addUnconfirmed(finding: FaultFinding): void {
    addFinding(this.#unconfirmed, finding);
  }

  addUnstable(unstable: FaultFinding): void {
    const same = this.unstable.find((each) => kindOf(each.scenario) === kindOf(unstable.scenario));
    if (same) same.seen += 1;
    else this.unstable.push(unstable);
  }
}

/** Counts a finding that is already in the list under other words. Returns the finding of the list. */
export function addFinding<T extends Counted>(findings: T[], finding: T): T {
  const same = findings.find(
    (each) =>
      isRepeated(each, finding) ||
      (keyOf(each.scenario) === keyOf(finding.scenario) && isPaidAgain(each) === isPaidAgain(finding)),
  );
  if (same) {
    joinFindings(same, finding);
    return same;
  }
  const end = findings.findIndex(isPaidAgain);
  findings.splice(end === -1 ? findings.length : end, 0, finding);
  return finding;
}

/** The worse of two findings of one cause becomes its head. No token is lost. */
function joinFindings<T extends Counted>(head: T, other: T): void {
  const seen = head.seen + other.seen;
  const tokens = [...new Set([head.token, ...head.also, other.token, ...other.also])];
  if (severityOf(other) < severityOf(head)) Object.assign(head, other);
  Object.assign(head, { seen, also: tokens.filter((token) => token !== head.token) });
}

/** The worst harm first: money, orders, forged events, files and streams, and then the rest. */
const WORST: readonly CheckId[] = [
  'pays-once',
  'refunds-failures',
  'matches-ledger',
  'survives-restart',
  'survives-lost-messages',
  'rejects-forged-events',
  'verifies-files',
  'detects-cut-streams',
];
const MOVED_MONEY: readonly FailureKind[] = ['spend', 'verdict', 'check'];

/** The lower, the worse. */
export function severityOf({ check, kind, code }: Pick<FaultFinding, 'check' | 'kind' | 'code'>): number {
  const rank = WORST.indexOf(check);
  const isMoney = MOVED_MONEY.includes(kind) && code !== 'paid_again';
  return (rank === -1 ? WORST.length : rank) * 2 + Number(!isMoney);
}

type Repeat = Pick<Counted, 'scenario' | 'kind' | 'code' | 'message'> & Partial<Pick<Counted, 'output' | 'check'>>;

/**
 * A scenario repeats a finding if it contains that finding's scenario, or has faults of the same kinds at steps of the same
 * name. If both fail with the same message, similar faults count as one.
 */
function isRepeated(finding: Counted, other: Repeat): boolean {
  if (isPaidAgain(finding) || isPaidAgain(other)) return isPaidAgain(finding) && isPaidAgain(other);
  if (!isSameFailure(finding, other) || finding.check !== (other.check ?? failedCheck(other))) return false;
  if (isPartOf(finding.scenario, other.scenario)) return true;
  const [one, another] = [finding, other].map(({ scenario }) => scenario.map(alikeEntry));
  return isSameFault(finding, other) && isPartOf(one ?? [], another ?? []);
}

function isPartOf(part: Scenario, whole: Scenario): boolean {
  const keys = new Set(whole.map(entryKey));
  return part.every((entry) => keys.has(entryKey(entry))) || kindOf(part) === kindOf(whole);
}

/** Faults that look alike to a client: a lost response to charged work, and a refusal by a broken service. */
const ALIKE: Readonly<Record<string, string>> = { slow: 'lost_response', 'status:500': 'status:503' };

function alikeEntry({ step, fault }: ScenarioEntry): ScenarioEntry {
  return { step: withoutNumber(step), fault: ALIKE[fault] ?? fault };
}

function isSameFault(finding: Counted, other: Repeat): boolean {
  if (finding.kind === 'spend' || finding.kind === 'receiver') return finding.message === other.message;
  if (withoutNumbers(finding.message) !== withoutNumbers(other.message)) return false;
  if (finding.kind !== 'exit') return true;
  return other.output !== undefined && assertionIn(finding.output) === assertionIn(other.output);
}
