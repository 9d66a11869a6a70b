import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findBatchableTests, nextBatch } from '../../src/check/batch.ts';
import { matchesFaultNameOrPrefix } from '../../src/check/checks.ts';
import { isJobOutcomeFault } from '../../src/check/faults/fault-at.ts';
import { canFaultOccurAtSite, FAULTS } from '../../src/check/faults/fault-table.ts';
import { assignStableNumbers, type Site } from '../../src/check/faults/site.ts';
import {
  adjustSitesForFailedJobs,
  type FaultSearchOptions,
  makeFaultPairScenarios,
  makeFollowUpScenarios,
  makeSingleFaultScenarios,
  type Scenario,
  ScenarioQueue,
  scenariosOfShard,
} from '../../src/check/plan.ts';
import { madeRun } from './faults/made-run.ts';

/** The sites of a command that orders songs of two takes, whose events go to one endpoint. */
function storyOf(orders: number, reads: number): Site[] {
  const sites: Site[] = [];
  const add = (name: string, kind: Site['kind'], about: string[], traits: Site['traits'] = {}) =>
    sites.push({ name, kind, about, match: { method: 'POST', path: '/v1/music/generations', nth: 1 }, traits });
  add('POST /v1/webhooks #1', 'write', ['endpoint 1']);
  for (let n = 1; n <= orders; n += 1) {
    const order = `job music #${n}`;
    add(`POST /v1/music/generations #${n}`, 'order', [order]);
    add(order, 'job', [order], { takes: 2, moderated: true, announced: true });
    for (const take of [1, 2]) {
      const about = [order, `${order} take ${take}`];
      add(`${order} take ${take}`, 'take', about, { announced: true });
      const number = (n - 1) * 2 + take;
      sites.push({
        ...{ name: `delivery music.generation.succeeded #${number}`, kind: 'delivery', about, match: { take } },
        traits: { followed: number < orders * 2 },
      });
      add(`GET /cdn #${number}`, 'cdn', about);
    }
  }
  for (let n = 1; n <= reads; n += 1) add(`GET /v1/account #${n}`, 'read', []);
  add('endpoint', 'endpoint', ['endpoint 1']);
  return sites;
}

const story = fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 0, max: 1 })).map(([a, b]) => storyOf(a, b));
/** Selects the faults in `only`, without those in `skip`. */
function wanting(only: readonly string[], skip: readonly string[] = []): Pick<FaultSearchOptions, 'wants'> {
  return {
    wants: (name) =>
      (only.length === 0 || matchesFaultNameOrPrefix(name, only)) && !matchesFaultNameOrPrefix(name, skip),
  };
}

const searched = fc.record({
  wants: fc.subarray(['kill', 'status', 'late', 'forged']).map((skip) => wanting([], skip).wants),
  kills: fc.boolean(),
  seed: fc.integer({ min: 0, max: 1000 }),
});
const USUAL: FaultSearchOptions = { ...wanting([]), kills: true, seed: 1 };

/** Every scenario in the order of the search. */
function planned(sites: readonly Site[], search = USUAL): Scenario[] {
  return [...makeSingleFaultScenarios(sites, search), ...makeFaultPairScenarios(sites, search)];
}

it('plans only faults that can occur at their sites, at most two in a scenario, and no scenario twice', () => {
  fc.assert(
    fc.property(story, searched, (sites, search) => {
      const all = planned(sites, search);
      const isAllowed = ({ faults }: Scenario) =>
        faults.every(({ fault, at }) => FAULTS.some((each) => each.name === fault && canFaultOccurAtSite(each, at)));
      expect(all.filter((each) => !isAllowed(each) || each.faults.length > 2)).toEqual([]);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    }),
    { numRuns: 10 },
  );
});

it('makes the same plan from the same seed, and the same scenarios in another order from another seed', () => {
  const sites = storyOf(1, 1);
  const ids = (seed: number) => planned(sites, { ...USUAL, seed }).map(({ id }) => id);
  expect(ids(7)).toEqual(ids(7));
  expect(ids(7)).not.toEqual(ids(8));
  expect(new Set(ids(7))).toEqual(new Set(ids(8)));
});

it('tries one scenario of each check first, then every kind of fault at every kind of site, and only then further sites', () => {
  const singles = makeSingleFaultScenarios(storyOf(2, 1), USUAL);
  const checks = singles.map(({ check }) => check);
  const all = new Set(checks);
  expect(new Set(checks.slice(0, all.size))).toEqual(all);
  const kinds = singles.map(({ kind }) => kind);
  const firstRepeat = kinds.findIndex((kind, at) => kinds.indexOf(kind) < at);
  expect(firstRepeat).toBe(new Set(kinds).size);
});

it('tries each combination of two faults that share an order or endpoint once before it repeats one at other sites', () => {
  const pairs = [...makeFaultPairScenarios(storyOf(2, 1), USUAL)].filter(
    ({ faults }) => !faults.some(isJobOutcomeFault),
  );
  const turns = new Map<string, number>();
  const seen = pairs.map(({ faults }) => {
    const kinds = `${faults.map(({ fault }) => fault).sort()}`;
    const turn = turns.get(kinds) ?? 0;
    turns.set(kinds, turn + 1);
    return turn;
  });
  const related = seen.findIndex((turn, at) => turn < (seen[at - 1] ?? 0));
  expect(related).toBeGreaterThan(turns.size / 2);
  expect(seen.slice(0, related)).toEqual(seen.slice(0, related).toSorted((a, b) => a - b));
});

it('plans no scenario in which two URLs expire', () => {
  const file = (n: number): Site => {
    const match = { method: 'GET' as const, path: '/cdn/*', nth: n };
    return { name: `GET /cdn #${n}`, kind: 'cdn', about: [], match, traits: {} };
  };
  const faultsOf = (scenarios: Iterable<Scenario>) =>
    [...scenarios].map(({ faults }) => faults.map(({ fault, site }) => `${fault} at ${site}`).join(', '));
  const search = { ...USUAL, ...wanting(['expired', 'truncated']) };
  const pairs = faultsOf(makeFaultPairScenarios([file(1), file(2)], search));
  expect(pairs.toSorted()).toHaveLength(3);
  expect(pairs).not.toContainEqual(expect.stringMatching(/expired.*expired/));
  const [expired] = makeSingleFaultScenarios([file(1)], { ...USUAL, ...wanting(['expired']) });
  if (!expired) throw new Error('Nothing is planned.');
  expect(faultsOf(makeFollowUpScenarios(expired, [file(3)], search))).toEqual([
    'expired at GET /cdn #1, truncated at GET /cdn #3',
  ]);
});

it('tries a failed job with a duplicate of its event before all pairs without a fault at that event', () => {
  const pairs = [...makeFaultPairScenarios(storyOf(2, 1), USUAL)];
  const isAtEvent = ({ faults }: Scenario) => faults.some(({ site }) => site.includes('.failed'));
  const duplicate = pairs.findIndex(
    (pair) => isAtEvent(pair) && pair.faults.some(({ fault }) => fault === 'duplicate'),
  );
  const others = pairs.slice(0, duplicate).filter((pair) => !isAtEvent(pair));
  expect([duplicate >= 0, others]).toEqual([true, []]);
});

it('plans no fault that --skip names, only the faults that --only names, and no kill without an app', () => {
  const names = (search: Partial<FaultSearchOptions>) =>
    new Set(planned(storyOf(1, 1), { ...USUAL, ...search }).flatMap(({ faults }) => faults.map(({ fault }) => fault)));
  expect(names(wanting(['status']))).toEqual(new Set(['status:503', 'status:429', 'status:500']));
  expect(names(wanting(['two_proofs']))).toEqual(new Set(['two_proofs']));
  expect(
    [...names(wanting([], ['kill', 'fails', 'take_fails', 'blocked']))].filter((name) => /kill|fail|block/.test(name)),
  ).toEqual([]);
  expect([...names({ kills: false })].filter((name) => name.startsWith('kill:'))).toEqual([]);
});

it('gives each kind of scenario, and each pair of faults, to exactly one shard', () => {
  const singles = makeSingleFaultScenarios(storyOf(2, 1), USUAL);
  const shards = [1, 2, 3].map((index) => scenariosOfShard(singles, { index, of: 3 }));
  expect(shards.flat()).toHaveLength(singles.length);
  const kinds = shards.map((each) => new Set(each.map(({ kind }) => kind)));
  expect(kinds.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(singles.map(({ kind }) => kind)).size);
  const pairs = [1, 2].flatMap((index) => {
    const queue = new ScenarioQueue([], makeFaultPairScenarios(storyOf(1, 0), USUAL), { index, of: 2 });
    return [...queue.upcoming()].map(({ id }) => id);
  });
  expect(pairs.toSorted()).toEqual([...makeFaultPairScenarios(storyOf(1, 0), USUAL)].map(({ id }) => id).toSorted());
});

it('plans pairs after all single faults, in turn with scenarios for sites that a run revealed', () => {
  const [first, second, ...rest] = makeSingleFaultScenarios(storyOf(1, 0), USUAL);
  const pairs = [...makeFaultPairScenarios(storyOf(1, 0), USUAL)];
  if (!first || !second) throw new Error('Nothing is planned.');
  const queue = new ScenarioQueue([first, second], pairs.slice(0, 3).values(), { index: 1, of: 1 });
  queue.follow(rest.slice(0, 2));
  expect([...queue.upcoming()]).toEqual([first, second]);
  queue.take([first, second]);
  expect([...queue.upcoming()]).toEqual([pairs[0], rest[0], pairs[1], rest[1], pairs[2]]);
});

/** A suite of tests that do not disturb each other. */
function suiteOf(...names: string[]) {
  const rest = { file: 'a.test.ts', outcome: 'passed', exclusive: false, account_ids: [] };
  const tests = names.map((name) => ({ ...rest, name })) as never;
  return findBatchableTests([madeRun({ record: { tests } })], false);
}

/** The site of a chat request that a test of this suite sends. */
function chatOf(test: string, name = test): Site {
  const match = { path: '/v1/chat/completions' };
  return { name, kind: 'call', about: [], match, traits: {}, test: `a.test.ts > ${test}` };
}

it('puts one scenario for each test into a run, but never mixes a scenario that makes clients wait with others', () => {
  const names = ['one', 'two', 'three'];
  const sites = names.map((name, at) => chatOf(name, `POST /v1/chat/completions #${at + 1}`));
  const batchOf = (...faults: string[]) =>
    nextBatch(makeSingleFaultScenarios(sites, { ...USUAL, ...wanting(faults) }), suiteOf(...names)).map(({ id }) =>
      id.replace('POST /v1/chat/completions ', ''),
    );
  expect(batchOf('lost_response', 'lost_request')).toEqual([
    ...['lost_response at #1', 'lost_request at #2', 'lost_response at #3'],
  ]);
  expect(batchOf('lost_response', 'slow')).toEqual([
    ...['lost_response at #1', 'lost_response at #2', 'lost_response at #3'],
  ]);
});

it('puts a scenario of each check into a run before a second one of any check', () => {
  const scenario = (check: Scenario['check'], kind: string, test: string): Scenario => {
    const faults = [{ site: test, fault: 'lost_response', at: chatOf(test) }];
    return { id: `${check}, ${kind}`, check, kind, faults };
  };
  const upcoming = [
    scenario('pays-once', 'a purchase', 'buys'),
    scenario('verifies-files', 'an image', 'buys'),
    scenario('pays-once', 'a chat', 'reads'),
    scenario('verifies-files', 'a song', 'reads'),
  ];
  const batch = nextBatch(upcoming, suiteOf('buys', 'reads'));
  expect(batch.map(({ id }) => id)).toEqual(['pays-once, a purchase', 'verifies-files, a song']);
});

it('names the delivery of a failed take by its .failed event, and renumbers the deliveries of the other takes', () => {
  const sites = adjustSitesForFailedJobs(storyOf(1, 0), [{ site: 'job music #1', fault: 'take_fails:1' }]);
  const told = sites
    .filter(({ kind }) => kind === 'delivery')
    .map(({ name, match }) => `${name} of take ${match.take}`);
  expect(told).toEqual([
    'delivery music.generation.failed #1 of take 1',
    'delivery music.generation.succeeded #1 of take 2',
  ]);
  expect(sites.filter(({ kind }) => kind === 'cdn').map(({ name }) => name)).toEqual(['GET /cdn #2']);
});

it('numbers requests by their bodies, in whatever order they arrive', () => {
  expect(assignStableNumbers(['b', 'a'], ['a', 'b'])).toEqual([2, 1]);
  expect(assignStableNumbers(['a', 'a', 'b'], ['a', 'b'])).toEqual([1, 3, 2]);
  expect(assignStableNumbers(['x', 'y'], ['a', 'b'])).toEqual([1, 2]);
  expect(assignStableNumbers(['a', 'new'], ['a'])).toEqual([1, 2]);
});

it('plans no fault that changes when a synchronous job ends, and none that depends on an event that is not sent', () => {
  const [order] = storyOf(1, 0).filter(({ kind }) => kind === 'job');
  if (!order) throw new Error('There is no job.');
  const namesAt = (traits: Site['traits']) =>
    ['unpolled', 'late', 'instant'].filter((name) =>
      FAULTS.some((fault) => fault.name === name && canFaultOccurAtSite(fault, { ...order, traits })),
    );
  expect(namesAt({ announced: true, synchronous: true })).toEqual([]);
  expect(namesAt({ announced: true })).toEqual(['unpolled', 'late', 'instant']);
  expect(namesAt({})).toEqual(['late']);
});
