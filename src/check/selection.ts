import { quoted } from '../base/errors.ts';
import { editDistance, nearestName } from '../base/text.ts';
import { COMPATIBLE_CHANGES, VIOLATION_FAMILIES, VIOLATIONS } from '../control/violations/violation-table.ts';
import { CHECK_IDS, CHECKS, type CheckId, checkOf, isListedName } from './checks.ts';
import { FAULT_NAMES } from './faults/fault-table.ts';
import { matchesPattern } from './faults/scenario.ts';
import { RunFault } from './runner/runner.ts';

/** The families that `--only` and `--skip` accept next to ids of checks and names. */
const FAMILIES = ['faults', 'violations', 'changes', ...VIOLATION_FAMILIES] as const;
type Family = (typeof FAMILIES)[number];

const FAMILIES_OF: ReadonlyMap<string, readonly Family[]> = new Map<string, readonly Family[]>([
  ...FAULT_NAMES.map((name) => [name, familiesOfFault(name)] as const),
  ...VIOLATIONS.map((row) => [row.name, ['violations', row.family]] as const),
  ...COMPATIBLE_CHANGES.map((name) => [name, ['changes']] as const),
]);
const NAMES: readonly string[] = [...FAMILIES_OF.keys()];

function familiesOfFault(name: string): readonly Family[] {
  return isListedName(name, checkOf('tolerates-changes').faults) ? ['faults', 'changes'] : ['faults'];
}

export function evidenceOf(id: CheckId): readonly string[] {
  const { faults, violations } = checkOf(id);
  const isOf = (name: string) => {
    const families = FAMILIES_OF.get(name) ?? [];
    if (id === 'tests-catch-violations') return families.includes('violations');
    if (id === 'tolerates-changes') return families.includes('changes');
    return isListedName(name, families.includes('faults') ? faults : violations);
  };
  return NAMES.filter(isOf);
}

/** A pattern also matches the part of a name before its colon or dot: `kill`, `refund`. */
function means(pattern: string, name: string): boolean {
  return matchesPattern(pattern, name) || isListedName(name, [pattern]);
}

function meantBy(option: string, pattern: string): { names: string[]; checks: CheckId[] } {
  const checks = CHECK_IDS.filter((id) => matchesPattern(pattern, id));
  const evidence = new Set(checks.flatMap(evidenceOf));
  const families = FAMILIES.filter((family) => matchesPattern(pattern, family));
  const names = NAMES.filter((name) => {
    const own = FAMILIES_OF.get(name) ?? [];
    return means(pattern, name) || evidence.has(name) || own.some((family) => families.includes(family));
  });
  if (pattern !== '' && names.length + checks.length > 0) return { names, checks };
  const nearest = nearestName(pattern, [...CHECK_IDS, ...FAMILIES, ...NAMES]) ?? '';
  const isClose = editDistance(pattern, nearest) <= Math.max(2, pattern.length / 3);
  const known = isClose ? `the closest name is ${nearest}` : `use one of ${[...CHECK_IDS, ...FAMILIES].join(', ')}`;
  throw new RunFault(`${option} is ${quoted(pattern)}, which matches nothing; ${known}.`);
}

export class Selection {
  readonly isNarrowed: boolean;
  readonly #names: ReadonlySet<string>;
  readonly #checks: ReadonlySet<CheckId>;

  /** Throws `RunFault` for a name that matches nothing. */
  constructor({ only = [], skip = [] }: { only?: readonly string[]; skip?: readonly string[] }) {
    const wanted = only.map((pattern) => meantBy('--only', pattern));
    const left = skip.map((pattern) => meantBy('--skip', pattern));
    const [names, skipped] = [wanted, left].map((each) => each.flatMap((meant) => meant.names));
    const [checks, skippedChecks] = [wanted, left].map((each) => each.flatMap((meant) => meant.checks));
    this.isNarrowed = only.length + skip.length > 0;
    this.#names = new Set((only.length === 0 ? NAMES : names)?.filter((name) => !skipped?.includes(name)));
    const named = only.length === 0 ? CHECK_IDS : checks;
    this.#checks = new Set(named?.filter((id) => !skippedChecks?.includes(id)));
  }

  wants(name: string): boolean {
    return this.#names.has(name);
  }

  wantsCheck(id: CheckId): boolean {
    return this.#checks.has(id) || evidenceOf(id).some((name) => this.#names.has(name));
  }

  get wantsFaults(): boolean {
    return FAULT_NAMES.some((name) => this.#names.has(name));
  }

  get wantsViolations(): boolean {
    return [...VIOLATIONS.map(({ name }) => name), ...COMPATIBLE_CHANGES].some((name) => this.#names.has(name));
  }
}

/** Throws `RunFault` for an unknown id. */
export function readCheckIds(ids: readonly string[]): CheckId[] {
  return ids.map((id) => {
    const known = CHECKS.find((check) => check.id === id);
    if (known) return known.id;
    throw new RunFault(
      `--require is ${quoted(id)}, which is not a check; the closest one is ${nearestName(id, CHECK_IDS)}.`,
    );
  });
}
