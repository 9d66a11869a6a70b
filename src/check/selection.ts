import { quoted } from '../base/errors.ts';
import { didYouMeanText, groupBy } from '../base/text.ts';
import { CHECK_IDS, CHECKS, type CheckId, findCheckById, matchesFaultNameOrPrefix } from './checks.ts';
import { FAULT_NAMES, FAULTS } from './faults/fault-table.ts';
import type { SiteKind } from './faults/site.ts';
import { CannotRunError } from './runner/runner.ts';

/** The kinds of sites of a family. Faults of the families `changes` and `kill` belong to them by name, at any site. */
const FAMILY_SITES = {
  requests: ['order', 'call', 'stream', 'write', 'read'],
  jobs: ['job', 'take'],
  deliveries: ['delivery', 'endpoint'],
  files: ['cdn'],
  streams: ['stream'],
  changes: [],
  kill: [],
} as const satisfies Record<string, readonly SiteKind[]>;

type Family = keyof typeof FAMILY_SITES;
const FAMILIES = Object.keys(FAMILY_SITES) as Family[];

/** A fault at a kind of site. */
interface FaultAtKind {
  name: string;
  kind: SiteKind;
}

const FAULTS_AT_KINDS: readonly FaultAtKind[] = FAULTS.flatMap(({ name, at }) => at.map((kind) => ({ name, kind })));

function isOfFamily({ name, kind }: FaultAtKind, family: Family): boolean {
  const isKill = matchesFaultNameOrPrefix(name, ['kill']);
  if (family === 'kill' || isKill) return family === 'kill' && isKill;
  if (family === 'changes') return matchesFaultNameOrPrefix(name, findCheckById('tolerates-changes').faults);
  if (family === 'requests' && matchesFaultNameOrPrefix(name, ['cut'])) return false;
  return FAMILY_SITES[family].some((each) => each === kind);
}

/** `*` in `pattern` matches any text. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

export function faultNamesOfCheck(id: CheckId): readonly string[] {
  return FAULT_NAMES.filter((name) => matchesFaultNameOrPrefix(name, findCheckById(id).faults));
}

function means(pattern: string, name: string): boolean {
  return matchesPattern(pattern, name) || matchesFaultNameOrPrefix(name, [pattern]);
}

interface Meant {
  faults: FaultAtKind[];
  checks: CheckId[];
}

function meantBy(option: string, pattern: string): Meant {
  const checks = CHECK_IDS.filter((id) => matchesPattern(pattern, id));
  const evidence = new Set(checks.flatMap(faultNamesOfCheck));
  const families = FAMILIES.filter((family) => matchesPattern(pattern, family));
  const faults = FAULTS_AT_KINDS.filter(
    (each) =>
      means(pattern, each.name) || evidence.has(each.name) || families.some((family) => isOfFamily(each, family)),
  );
  if (pattern !== '' && faults.length + checks.length > 0) return { faults, checks };
  const all = [...CHECK_IDS, ...FAMILIES];
  const remedy = didYouMeanText(pattern, [...all, ...FAULT_NAMES]) || ` Use one of ${all.join(', ')}.`;
  throw new CannotRunError(`${option} is ${quoted(pattern)}, which matches nothing.${remedy}`);
}

export class FaultAndCheckSelection {
  readonly isNarrowed: boolean;
  readonly #faults: ReadonlyMap<string, readonly FaultAtKind[]>;
  readonly #checks: ReadonlySet<CheckId>;
  readonly #isByCheck: boolean;

  /** Throws `CannotRunError` for a name that matches nothing. */
  constructor({ only = [], skip = [] }: { only?: readonly string[]; skip?: readonly string[] }) {
    const wanted = only.map((pattern) => meantBy('--only', pattern));
    const left = skip.map((pattern) => meantBy('--skip', pattern));
    const [named, skipped] = [wanted, left].map((each) => new Set(each.flatMap(({ faults }) => faults)));
    const [checks, skippedChecks] = [wanted, left].map((each) => each.flatMap((meant) => meant.checks));
    this.isNarrowed = only.length + skip.length > 0;
    this.#isByCheck = wanted.length > 0 && wanted.every((meant) => meant.checks.length > 0);
    const faults = FAULTS_AT_KINDS.filter((each) => (only.length === 0 || named?.has(each)) && !skipped?.has(each));
    this.#faults = groupBy(faults, ({ name }) => name);
    const selected = only.length === 0 ? CHECK_IDS : checks;
    this.#checks = new Set(selected?.filter((id) => !skippedChecks?.includes(id)));
  }

  wants(name: string, kind: SiteKind): boolean {
    return this.#faults.get(name)?.some((each) => each.kind === kind) ?? false;
  }

  wantsCheck(id: CheckId): boolean {
    return this.#checks.has(id) || (!this.#isByCheck && faultNamesOfCheck(id).some((name) => this.#faults.has(name)));
  }

  /** False if `--only` names only checks, and not this one. A fault of a selected check may make another check fail. */
  reports(id: CheckId): boolean {
    return !this.#isByCheck || this.#checks.has(id);
  }

  get wantsFaults(): boolean {
    return this.#faults.size > 0;
  }
}

export function parseCheckIds(ids: readonly string[]): CheckId[] {
  return ids.map((id) => {
    const known = CHECKS.find((check) => check.id === id);
    if (known) return known.id;
    const remedy = didYouMeanText(id, CHECK_IDS) || ` Use one of ${CHECK_IDS.join(', ')}.`;
    throw new CannotRunError(`--require is ${quoted(id)}, which is not a check.${remedy}`);
  });
}
