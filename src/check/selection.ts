import { quoted } from '../base/errors.ts';
import { didYouMeanText } from '../base/text.ts';
import { CHECK_IDS, CHECKS, type CheckId, findCheckById, matchesFaultNameOrPrefix } from './checks.ts';
import { FAULT_NAMES, FAULTS } from './faults/fault-table.ts';
import { CannotRunError } from './runner/runner.ts';

const FAMILIES = ['requests', 'jobs', 'deliveries', 'files', 'streams', 'changes', 'kill'] as const;
type Family = (typeof FAMILIES)[number];

function familiesOf(name: string): Family[] {
  const kinds = new Set(FAULTS.filter((fault) => fault.name === name).flatMap(({ at }) => at));
  const has = (...of: readonly string[]) => of.some((kind) => kinds.has(kind as never));
  const families: [Family, boolean][] = [
    ['requests', has('order', 'call', 'write', 'read')],
    ['jobs', has('job', 'take')],
    ['deliveries', has('delivery', 'endpoint')],
    ['files', has('cdn')],
    ['streams', has('stream')],
    ['changes', matchesFaultNameOrPrefix(name, findCheckById('tolerates-changes').faults)],
  ];
  return matchesFaultNameOrPrefix(name, ['kill'])
    ? ['kill']
    : families.filter(([, isOf]) => isOf).map(([family]) => family);
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

function meantBy(option: string, pattern: string): { names: string[]; checks: CheckId[] } {
  const checks = CHECK_IDS.filter((id) => matchesPattern(pattern, id));
  const evidence = new Set(checks.flatMap(faultNamesOfCheck));
  const families = FAMILIES.filter((family) => matchesPattern(pattern, family));
  const names = FAULT_NAMES.filter((name) => {
    const isOf = familiesOf(name).some((family) => families.includes(family));
    return means(pattern, name) || evidence.has(name) || isOf;
  });
  if (pattern !== '' && names.length + checks.length > 0) return { names, checks };
  const all = [...CHECK_IDS, ...FAMILIES];
  const remedy = didYouMeanText(pattern, [...all, ...FAULT_NAMES]) || ` Use one of ${all.join(', ')}.`;
  throw new CannotRunError(`${option} is ${quoted(pattern)}, which matches nothing.${remedy}`);
}

export class FaultAndCheckSelection {
  readonly isNarrowed: boolean;
  readonly #names: ReadonlySet<string>;
  readonly #checks: ReadonlySet<CheckId>;
  readonly #isByCheck: boolean;

  /** Throws `CannotRunError` for a name that matches nothing. */
  constructor({ only = [], skip = [] }: { only?: readonly string[]; skip?: readonly string[] }) {
    const wanted = only.map((pattern) => meantBy('--only', pattern));
    const left = skip.map((pattern) => meantBy('--skip', pattern));
    const [names, skipped] = [wanted, left].map((each) => each.flatMap((meant) => meant.names));
    const [checks, skippedChecks] = [wanted, left].map((each) => each.flatMap((meant) => meant.checks));
    this.isNarrowed = only.length + skip.length > 0;
    this.#isByCheck = wanted.length > 0 && wanted.every((meant) => meant.checks.length > 0);
    this.#names = new Set((only.length === 0 ? FAULT_NAMES : names)?.filter((name) => !skipped?.includes(name)));
    const named = only.length === 0 ? CHECK_IDS : checks;
    this.#checks = new Set(named?.filter((id) => !skippedChecks?.includes(id)));
  }

  wants(name: string): boolean {
    return this.#names.has(name);
  }

  wantsCheck(id: CheckId): boolean {
    return this.#checks.has(id) || (!this.#isByCheck && faultNamesOfCheck(id).some((name) => this.#names.has(name)));
  }

  /** False if `--only` names only checks, and not this one. A fault of a selected check may make another check fail. */
  reports(id: CheckId): boolean {
    return !this.#isByCheck || this.#checks.has(id);
  }

  get wantsFaults(): boolean {
    return FAULT_NAMES.some((name) => this.#names.has(name));
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
