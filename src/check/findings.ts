import { maskWordsWithDigits } from '../base/output/output-line.ts';
import type { CheckId } from './checks.ts';
import type { FailureFinding } from './failure-finding.ts';
import { type Failure, type FailureKind, isPaidAgain } from './faults/failed-check.ts';
import { type FaultAtSite, makeScenarioId, type ScenarioFaults } from './faults/fault-at.ts';
import { FAULTS } from './faults/fault-table.ts';
import { removeSiteNumber } from './faults/site.ts';
import type { Finding } from './report.ts';

/** Returns the added finding, or the one that it was joined to. */
export function addOrJoinFinding(all: FailureFinding[], added: FailureFinding): FailureFinding {
  const same = findSameCauseFinding(all, added);
  const head = same ?? all.find((each) => hasSameFix(each, added));
  if (!head) {
    all.push(added);
    return added;
  }
  const { joined = [], ...earlier } = head;
  const tokens = [head, added].flatMap(({ finding: { token, also } }) => [token, ...also]);
  const isWorse = severityRank(added) < severityRank(head);
  if (isWorse) Object.assign(head, added);
  head.joined = same ? joined : [...joined, isWorse ? earlier : added];
  const also = [...new Set(tokens)].filter((token) => token !== head.finding.token);
  head.finding = { ...head.finding, also };
  return head;
}

export function findSameCauseFinding(
  all: readonly FailureFinding[],
  found: FailureFinding,
): FailureFinding | undefined {
  return all.find((each) => [each, ...(each.joined ?? [])].some((one) => isSameCause(one, found)));
}

function hasSameFix(one: FailureFinding, other: FailureFinding): boolean {
  return (
    one.finding.advice !== undefined &&
    sharedFixKey(one.finding, one.scenario.faults) === sharedFixKey(other.finding, other.scenario.faults)
  );
}

export function sharedFixKey({ check, advice }: Pick<Finding, 'check' | 'advice'>, faults: ScenarioFaults): string {
  return [check, faults.map(familyOf).toSorted(), advice].join(' ');
}

function isSameCause(each: FailureFinding, found: FailureFinding): boolean {
  const [again, other] = [isPaidAgain(each.failure), isPaidAgain(found.failure)];
  if (again || other) return again && other;
  if (each.finding.check !== found.finding.check) return false;
  if (makeScenarioId(each.scenario.faults) === makeScenarioId(found.scenario.faults)) return true;
  return isSameFailure(each.failure, found.failure) && (isPartOf(each, found) || isAlike(each, found));
}

function isSameFailure(one: Failure, other: Failure): boolean {
  return one.kind === other.kind && one.code === other.code;
}

function isPartOf(part: FailureFinding, whole: FailureFinding): boolean {
  const kindOf = ({ scenario }: FailureFinding) => scenario.kind.replace(/\bcut:\w+/g, 'cut');
  const isIn = ({ fault, site }: FaultAtSite) =>
    whole.scenario.faults.some((each) => each.fault === fault && each.site === site);
  return kindOf(part) === kindOf(whole) || part.scenario.faults.every(isIn);
}

function isAlike(one: FailureFinding, other: FailureFinding): boolean {
  const looks = other.scenario.faults.map(lookOf);
  if (!one.scenario.faults.map(lookOf).every((look) => looks.includes(look))) return false;
  const { kind, message } = one.failure;
  if (kind === 'spend' || kind === 'receiver') return message === other.failure.message;
  if (maskWordsWithDigits(message) !== maskWordsWithDigits(other.failure.message)) return false;
  return kind !== 'exit' || one.assertion === other.assertion;
}

function lookOf(at: FaultAtSite): string {
  return `${familyOf(at)} at ${removeSiteNumber(at.site)}`;
}

function familyOf({ fault }: FaultAtSite): string {
  return FAULTS.find(({ name }) => name === fault)?.family ?? fault;
}

const WORST: readonly CheckId[] = [
  'pays-once',
  'refunds-failures',
  'collects-results',
  'matches-ledger',
  'survives-restart',
  'survives-lost-messages',
  'rejects-forged-events',
  'verifies-files',
  'detects-cut-streams',
];
const MOVED_MONEY: readonly FailureKind[] = ['spend', 'verdict', 'check'];

/** A lower rank means a worse finding. */
export function severityRank({ finding: { check }, failure }: FailureFinding): number {
  const rank = WORST.indexOf(check);
  const isMoney = MOVED_MONEY.includes(failure.kind) && !isPaidAgain(failure);
  return (rank === -1 ? WORST.length : rank) * 2 + Number(!isMoney);
}
