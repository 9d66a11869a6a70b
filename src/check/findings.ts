import { withoutNumbers } from '../base/output/output-line.ts';
import type { CheckId } from './checks.ts';
import { type Failure, type FailureKind, isPaidAgain } from './faults/failed-check.ts';
import { type FaultAt, faultsId } from './faults/fault-at.ts';
import { FAULTS } from './faults/fault-table.ts';
import { withoutNumber } from './faults/site.ts';
import type { Found } from './found.ts';

/** Adds a finding, or only its token if the list has one of the same cause. Returns the finding of the list. */
export function addFinding(all: Found[], added: Found): Found {
  const head = sameCause(all, added);
  if (!head) {
    const end = all.findIndex(({ failure }) => isPaidAgain(failure));
    all.splice(end === -1 ? all.length : end, 0, added);
    return added;
  }
  const tokens = [head, added].flatMap(({ finding: { token, also } }) => [token, ...also]);
  // The worse of the two represents the cause.
  if (severityOf(added) < severityOf(head)) Object.assign(head, added);
  const also = [...new Set(tokens)].filter((token) => token !== head.finding.token);
  head.finding = { ...head.finding, also };
  return head;
}

/** Finds the finding in the list that has the same cause. */
export function sameCause(all: readonly Found[], found: Found): Found | undefined {
  return all.find((each) => {
    const [again, other] = [isPaidAgain(each.failure), isPaidAgain(found.failure)];
    if (again || other) return again && other;
    if (each.finding.check !== found.finding.check) return false;
    if (faultsId(each.scenario.faults) === faultsId(found.scenario.faults)) return true;
    return isSameFailure(each.failure, found.failure) && (isPartOf(each, found) || isAlike(each, found));
  });
}

function isSameFailure(one: Failure, other: Failure): boolean {
  return one.kind === other.kind && one.code === other.code;
}

/**
 * Whether a scenario has the same kinds of fault at the same kinds of site as another, or some of them. A stream lacks its
 * end wherever it is cut.
 */
function isPartOf(part: Found, whole: Found): boolean {
  const kindOf = ({ scenario }: Found) => scenario.kind.replace(/\bcut:\w+/g, 'cut');
  const isIn = ({ fault, site }: FaultAt) =>
    whole.scenario.faults.some((each) => each.fault === fault && each.site === site);
  return kindOf(part) === kindOf(whole) || part.scenario.faults.every(isIn);
}

/** Whether both scenarios have faults of one family at one kind of site, and the same words in the report. */
function isAlike(one: Found, other: Found): boolean {
  const looks = other.scenario.faults.map(lookOf);
  if (!one.scenario.faults.map(lookOf).every((look) => looks.includes(look))) return false;
  const { kind, message } = one.failure;
  if (kind === 'spend' || kind === 'receiver') return message === other.failure.message;
  if (withoutNumbers(message) !== withoutNumbers(other.failure.message)) return false;
  return kind !== 'exit' || one.assertion === other.assertion;
}

function lookOf({ site, fault }: FaultAt): string {
  const family = FAULTS.find(({ name }) => name === fault)?.family ?? fault;
  return `${family} at ${withoutNumber(site)}`;
}

/** The worst harm first: money, orders, forged events, files and streams, and then the rest. */
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

/** The rank of a finding: the lower, the worse. */
export function severityOf({ finding: { check }, failure }: Found): number {
  const rank = WORST.indexOf(check);
  const isMoney = MOVED_MONEY.includes(failure.kind) && !isPaidAgain(failure);
  return (rank === -1 ? WORST.length : rank) * 2 + Number(!isMoney);
}
