import { createHash } from 'node:crypto';
import { groupBy } from '../base/text.ts';
import { CHECK_IDS, type CheckId } from './checks.ts';
import type { FaultWithSite } from './faults/arm-faults.ts';
import { checkIdOfFailedScenario } from './faults/failed-check.ts';
import {
  type FaultAtSite,
  isJobOutcomeFault,
  makeScenarioId,
  makeScenarioKind,
  parseFailedTake,
  type ScenarioFaults,
} from './faults/fault-at.ts';
import { canFaultOccurAtSite, FAULTS, type Fault } from './faults/fault-table.ts';
import { removeSiteNumber, type Site, type SiteKind } from './faults/site.ts';

export interface Scenario {
  id: string;
  check: CheckId;
  kind: string;
  faults: readonly FaultWithSite[];
}

export interface FaultSearchOptions {
  wants(name: string, kind: SiteKind): boolean;
  /** True if an app runs next to the tests, and so can be killed. */
  kills: boolean;
  seed: number;
}

export interface Shard {
  index: number;
  of: number;
}

const MAX_FAULTS = 2;

export function makeScenario(faults: readonly FaultWithSite[]): Scenario {
  const check = checkIdOfFailedScenario({ scenario: faults, kind: 'exit' });
  return { id: makeScenarioId(faults), check, kind: makeScenarioKind(faults), faults };
}

export function resolveFaultSites(faults: ScenarioFaults, sites: readonly Site[]): FaultWithSite[] {
  return faults.flatMap((each) => {
    const at = sites.find(({ name }) => name === each.site);
    return at ? [{ ...each, at }] : [];
  });
}

function isSearched({ name, act }: Fault, { wants, kills }: FaultSearchOptions, site: Site): boolean {
  return site.traits.faulted !== true && wants(name, site.kind) && (kills || !('kill' in act(site)));
}

export function canPlanScenario({ faults }: Scenario, search: FaultSearchOptions): boolean {
  return faults.every(({ fault, at }) =>
    FAULTS.some((each) => each.name === fault && canFaultOccurAtSite(each, at) && isSearched(each, search, at)),
  );
}

const WEIGHT: readonly SiteKind[] = [
  ...(['order', 'call', 'stream', 'delivery', 'endpoint', 'job', 'take', 'cdn', 'write', 'read'] as const),
  'responses',
];

function faultsAt(sites: readonly Site[], search: FaultSearchOptions): FaultWithSite[] {
  const weighed = sites.toSorted((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind));
  return FAULTS.flatMap((fault) =>
    weighed
      .filter((site) => canFaultOccurAtSite(fault, site) && isSearched(fault, search, site))
      .map((site): FaultWithSite => ({ site: site.name, fault: fault.name, at: site })),
  );
}

function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/** Orders the scenarios: first one of each kind, taking the checks in turn, then the others in the same way. */
function inRounds(scenarios: readonly Scenario[]): Scenario[] {
  const byCheck = groupBy(scenarios, ({ check }) => check);
  const kinds = CHECK_IDS.map((id) => [...groupBy(byCheck.get(id) ?? [], ({ kind }) => kind).values()]);
  const first = inTurns(kinds.map((lists) => lists.flatMap((list) => list.slice(0, 1))));
  return [...first, ...inTurns(kinds.map((lists) => inTurns(lists.map((list) => list.slice(1)))))];
}

export function makeSingleFaultScenarios(sites: readonly Site[], search: FaultSearchOptions): Scenario[] {
  return inRounds(faultsAt(sites, search).map((each) => makeScenario([each])));
}

/**
 * Pairs with a failed job come first, beginning with faults at the event of that job. Then come other pairs, beginning
 * with those about the same order or endpoint.
 */
export function* makeFaultPairScenarios(sites: readonly Site[], search: FaultSearchOptions): Generator<Scenario> {
  const paired = sites.filter(({ kind }) => kind !== 'responses');
  const faults = faultsAt(paired, search);
  const around = faults.filter(isJobOutcomeFault).map((outcome) => {
    const near = adjustSitesForFailedJobs(paired, [outcome]).filter((site) => mayMeet(outcome.at, site));
    const isOfEvent = (site: Site) => site.kind === 'delivery' && isAnnouncedBy(outcome, site);
    const groups = [near.filter(isOfEvent), near.filter((site) => !isOfEvent(site))];
    return groups.flatMap((group) =>
      inRounds(withoutOutcomes(group, search).map((each) => makeScenario([outcome, each]))),
    );
  });
  yield* inTurns(around);
  const rank = ({ fault, site }: FaultAtSite) =>
    createHash('sha256').update(`${search.seed} ${fault} at ${site}`).digest('hex');
  const ranked = withoutOutcomes(paired, search).map((each) => ({ each, rank: rank(each) }));
  const drawn = ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ each }) => each);
  const pairs = drawn.flatMap((one, at) =>
    drawn
      .slice(at + 1)
      .filter((other) => other.at !== one.at && mayMeet(one.at, other.at) && !expireTwice([one, other]))
      .map((other): readonly [FaultWithSite, FaultWithSite] => [one, other]),
  );
  const isRelated = ([one, other]: readonly FaultWithSite[]) =>
    one?.at.about.some((about) => other?.at.about.includes(about)) ?? false;
  for (const group of [pairs.filter(isRelated), pairs.filter((pair) => !isRelated(pair))]) {
    const kinds = groupBy(group, (pair) =>
      pair
        .map(({ fault }) => fault)
        .toSorted()
        .join(),
    );
    for (const pair of inTurns([...kinds.values()])) yield makeScenario(pair);
  }
}

function withoutOutcomes(sites: readonly Site[], search: FaultSearchOptions): FaultWithSite[] {
  const isAlone = (given: string) => FAULTS.some((each) => each.name === given && each.isAlone);
  return faultsAt(sites, search).filter((each) => !isJobOutcomeFault(each) && !isAlone(each.fault));
}

/** False for sites of different tests, which do not affect each other, because each test has its own accounts. */
function mayMeet({ test: one }: Site, { test: other }: Site): boolean {
  return one === undefined || other === undefined || one === other;
}

/**
 * True if both faults are `expired`. The second one would apply to the new URL that a client reads after the first one,
 * which cannot have expired.
 */
function expireTwice(faults: ScenarioFaults): boolean {
  return faults.filter(({ fault }) => fault === 'expired').length > 1;
}

export function makeFollowUpScenarios(
  { faults }: Scenario,
  fresh: readonly Site[],
  search: FaultSearchOptions,
): Scenario[] {
  if (faults.filter((each) => !isJobOutcomeFault(each)).length >= MAX_FAULTS) return [];
  const sites = fresh.filter((site) => site.kind !== 'endpoint' && !isReadAgain(site, faults));
  return withoutOutcomes(sites, search)
    .map((each) => [...faults, each])
    .filter((both) => !expireTwice(both))
    .map(makeScenario);
}

/**
 * True for a read with the method and path, without ids, of a site that already has a fault. It gets no second fault,
 * because a client must stop reading at some time.
 */
function isReadAgain({ kind, name }: Site, faults: readonly FaultWithSite[]): boolean {
  return kind === 'read' && faults.some(({ site }) => removeSiteNumber(site) === removeSiteNumber(name));
}

/**
 * The sites of a baseline run, adjusted to the failed jobs of a scenario. The events of these jobs become failures, and
 * the files of these jobs are not read.
 */
export function adjustSitesForFailedJobs(sites: readonly Site[], faults: ScenarioFaults): Site[] {
  const failing = faults.filter(isJobOutcomeFault);
  if (failing.length === 0) return [...sites];
  const counts = new Map<string, number>();
  const named = sites.map((site) => {
    if (site.kind !== 'delivery') return site;
    const base = site.name.replace(/^(delivery \S+) #\d+/, '$1');
    const type = failing.some((each) => isAnnouncedBy(each, site)) ? base.replace('.succeeded', '.failed') : base;
    const n = (counts.get(type) ?? 0) + 1;
    counts.set(type, n);
    return { ...site, name: type.replace(/^(delivery \S+)/, `$1 #${n}`) };
  });
  return named.filter((site) => !isGone(site, failing));
}

function isAnnouncedBy({ site, fault }: FaultAtSite, { about, match }: Site): boolean {
  const take = parseFailedTake(fault);
  return about.includes(site) && (take === undefined || Number(take) === match.take);
}

function isGone({ kind, about }: Site, failing: ScenarioFaults): boolean {
  const failed = failing.map(({ site, fault }) => [site, parseFailedTake(fault)].filter(Boolean).join(' take '));
  return kind === 'cdn' && failed.some((each) => about.includes(each));
}

/** All scenarios of one kind belong to the same shard, so that the counts of shards can be added. */
export function scenariosOfShard(scenarios: readonly Scenario[], { index, of }: Shard): Scenario[] {
  const kinds = new Map([...new Set(scenarios.map(({ kind }) => kind))].map((kind, at) => [kind, at]));
  return scenarios.filter(({ kind }) => (kinds.get(kind) ?? 0) % of === index - 1);
}

/** Pairs are made only after every single fault was taken. */
export class ScenarioQueue {
  readonly #seen = new Set<string>();
  readonly #pairs: Iterator<Scenario>;
  readonly #shard: Shard;
  #pending: Scenario[];
  readonly #followed: Scenario[] = [];
  #drawn = 0;
  #isWanted = (_: Scenario) => true;

  constructor(singles: readonly Scenario[], pairs: Iterator<Scenario>, shard: Shard) {
    this.#pending = [...singles];
    this.#pairs = pairs;
    this.#shard = shard;
  }

  keepOnly(isWanted: (scenario: Scenario) => boolean): void {
    this.#isWanted = isWanted;
    this.#pending = this.#pending.filter(isWanted);
  }

  *upcoming(): Generator<Scenario> {
    const pending = this.#pending;
    yield* pending;
    if (pending.some(({ faults }) => faults.length === 1)) return;
    for (let next = this.#draw(); next; next = this.#draw()) {
      this.#pending.push(next);
      yield next;
    }
  }

  take(scenarios: readonly Scenario[]): void {
    for (const { id } of scenarios) this.#seen.add(id);
    this.#pending = this.#pending.filter(({ id }) => !this.#seen.has(id));
  }

  /** Adds scenarios at sites that earlier faults revealed. They take turns with the planned pairs. */
  follow(scenarios: readonly Scenario[]): void {
    this.#followed.push(...scenarios);
  }

  #draw(): Scenario | undefined {
    for (;;) {
      this.#drawn += 1;
      const isFollowed = this.#drawn % 2 === 0;
      const first = isFollowed ? this.#followed.shift() : this.#nextPair();
      const next = first ?? (isFollowed ? this.#nextPair() : this.#followed.shift());
      if (!next || (!this.#seen.has(next.id) && this.#isWanted(next))) return next;
    }
  }

  /** Every shard makes the same pairs and leaves out those of other shards. */
  #nextPair(): Scenario | undefined {
    const { index, of } = this.#shard;
    const turn = Array.from({ length: of }, () => this.#pairs.next().value as Scenario | undefined);
    return turn[index - 1];
  }
}
