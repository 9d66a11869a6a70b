import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isListedName } from '../../../src/check/checks.ts';
import { milderFaults, shrink, smallerScenarios } from '../../../src/check/faults/confirm-failure.ts';
import { failedCheck } from '../../../src/check/faults/failed-check.ts';
import { type Fault, faultAt } from '../../../src/check/faults/fault-table.ts';
import {
  bookOf,
  isAllowed,
  isOutcome,
  keyOf,
  outcomeOf,
  type Scenario,
  sizeOf,
  underOutcome,
} from '../../../src/check/faults/scenario.ts';
import { type FaultSearch, isSearched, plannedScenarios, siteKindOf } from '../../../src/check/faults/search-order.ts';
import { commandMark, numberMarks, type Step } from '../../../src/check/faults/step.ts';
import { readToken, writeToken } from '../../../src/check/token.ts';

/** The steps of a command of some orders with two takes each, told to one endpoint. */
function storyOf(orders: number, reads: number): Step[] {
  const steps: Step[] = [];
  const add = (name: string, kind: Step['kind'], about: string[], traits: Step['traits'] = {}) =>
    steps.push({ name, kind, about, match: { method: 'POST', path: '/v1/music/generations', nth: 1 }, traits });
  add('POST /v1/webhooks #1', 'write', ['endpoint 1']);
  for (let n = 1; n <= orders; n += 1) {
    const order = `job music #${n}`;
    add(`POST /v1/music/generations #${n}`, 'order', [order]);
    add(order, 'job', [order], { takes: 2, moderated: true, announced: true });
    for (const take of [1, 2]) {
      const about = [order, `${order} take ${take}`];
      add(`${order} take ${take}`, 'take', about, { announced: true });
      const number = (n - 1) * 2 + take;
      steps.push({
        ...{ name: `delivery music.generation.succeeded #${number}`, kind: 'delivery', about, match: { take } },
        traits: { followed: number < orders * 2 },
      });
      add(`GET /cdn #${number}`, 'cdn', about);
    }
  }
  for (let n = 1; n <= reads; n += 1) add(`GET /v1/account #${n}`, 'read', []);
  add('endpoint', 'endpoint', ['endpoint 1']);
  return steps;
}

const story = fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 0, max: 1 })).map(([a, b]) => storyOf(a, b));
/** A search for these faults, without those. */
function wanting(only: readonly string[], skip: readonly string[] = []): Pick<FaultSearch, 'wants'> {
  return { wants: (name) => (only.length === 0 || isListedName(name, only)) && !isListedName(name, skip) };
}

const searched = fc.record({
  wants: fc.subarray(['kill', 'status', 'late', 'forged']).map((skip) => wanting([], skip).wants),
  kills: fc.boolean(),
  seed: fc.integer({ min: 0, max: 1000 }),
});
const USUAL: FaultSearch = { ...wanting([]), kills: true, seed: 1 };

/** One text for a list of scenarios in its order. */
function hashOf(scenarios: Iterable<Scenario>): string {
  const hash = createHash('sha256');
  for (const scenario of scenarios) hash.update(`${keyOf(scenario)}\n`);
  return hash.digest('hex').slice(0, 16);
}

function bookFor(steps: readonly Step[], scenario: Scenario) {
  return bookOf([...steps, ...underOutcome(steps, scenario)]);
}

/** The book of each scenario of a command: one for all that come to the same outcome. */
function booksOf(steps: readonly Step[]) {
  const books = new Map<string, ReturnType<typeof bookOf>>();
  return (scenario: Scenario) => {
    const outcome = outcomeOf(scenario);
    const book = books.get(outcome) ?? bookFor(steps, scenario);
    books.set(outcome, book);
    return book;
  };
}

it('plans scenarios that are allowed, each once, within the bound', () => {
  fc.assert(
    fc.property(story, searched, (steps, search) => {
      const all = [...plannedScenarios(steps, search)];
      const bookUnder = booksOf(steps);
      const wrong = all.filter((each) => !isAllowed(each, bookUnder(each)) || sizeOf(each) > 2);
      expect(wrong).toEqual([]);
      expect(new Set(all.map(keyOf)).size).toBe(all.length);
    }),
    { numRuns: 10 },
  );
});

it('makes the same list from the same seed, and another order of pairs from another', () => {
  const steps = storyOf(1, 1);
  const hash = (seed: number) => hashOf(plannedScenarios(steps, { ...USUAL, seed }));
  expect(hash(7)).toBe(hash(7));
  expect(hash(7)).not.toBe(hash(8));
  expect(hash(1)).toMatch(/^[0-9a-f]{16}$/);
});

it('tries each check first, and then every kind of fault at every kind of site before any at a second one', () => {
  const singles = [...plannedScenarios(storyOf(2, 1), USUAL)].filter((each) => each.length === 1).flat();
  const checks = singles.map((entry) => failedCheck({ scenario: [entry], kind: 'exit' }));
  const all = new Set(checks);
  expect(new Set(checks.slice(0, all.size))).toEqual(all);
  const kinds = singles.map(siteKindOf);
  const firstRepeat = kinds.findIndex((kind, at) => kinds.indexOf(kind) < at);
  expect(firstRepeat).toBe(new Set(kinds).size);
});

it('tries every two kinds of fault of one order together before any two of them at other steps', () => {
  const steps = storyOf(2, 1);
  const pairs = [...plannedScenarios(steps, USUAL)].filter((each) => each.length === 2 && !each.some(isOutcome));
  const turns = new Map<string, number>();
  const seen = pairs.map((pair) => {
    const kinds = pair.map(({ fault }) => fault).sort();
    const turn = turns.get(`${kinds}`) ?? 0;
    turns.set(`${kinds}`, turn + 1);
    return turn;
  });
  const related = seen.findIndex((turn, at) => turn < (seen[at - 1] ?? 0));
  expect(related).toBeGreaterThan(turns.size / 2);
  // Those of one order or endpoint, then those of others, which go on with kinds that these have tried already.
  expect(seen.slice(0, related)).toEqual(seen.slice(0, related).toSorted((a, b) => a - b));
  expect(new Set(pairs.map(keyOf)).size).toBe(pairs.length);
});

it('leaves out what is skipped, tries what is named alone, and kills nobody who is not there', () => {
  const steps = storyOf(1, 1);
  const names = (search: Partial<FaultSearch>) =>
    new Set([...plannedScenarios(steps, { ...USUAL, ...search })].flat().map(({ fault }) => fault));
  expect(names(wanting(['status']))).toEqual(new Set(['status:503', 'status:429', 'status:500']));
  expect(names(wanting(['two_proofs']))).toEqual(new Set(['two_proofs']));
  expect(
    [...names(wanting([], ['kill', 'fails', 'take_fails', 'blocked']))].filter((name) => /kill|fail|block/.test(name)),
  ).toEqual([]);
  expect([...names({ kills: false })].filter((name) => name.startsWith('kill:'))).toEqual([]);
});

it('shrinks by leaving out, by milder faults and by earlier steps alone', () => {
  const steps = storyOf(1, 2);
  const all = [...plannedScenarios(steps, USUAL)].filter((each) => each.length > 1);
  fc.assert(
    fc.property(fc.nat(), (at) => {
      const scenario = all[at % all.length] ?? [];
      const book = bookFor(steps, scenario);
      for (const next of smallerScenarios(scenario, book, () => true)) {
        expect(next.length).toBeLessThanOrEqual(scenario.length);
        expect(next.length).toBeGreaterThan(0);
        if (next.length < scenario.length) continue;
        const changed = next.filter((entry, place) => entry !== scenario[place]);
        expect(changed).toHaveLength(1);
      }
    }),
    { numRuns: 200 },
  );
});

it('comes to the entries that the failure needs, and to no others', async () => {
  const steps = storyOf(2, 2);
  const needed = 'duplicate at delivery music.generation.succeeded #1';
  const start: Scenario = [
    { step: 'job music #1', fault: 'take_fails:2' },
    { step: 'delivery music.generation.succeeded #1', fault: 'twin' },
    { step: 'GET /v1/account #2', fault: 'status:500' },
  ];
  const isTwice = ({ step, fault }: Scenario[number]) =>
    step === 'delivery music.generation.succeeded #1' && ['twin', 'resent', 'duplicate'].includes(fault);
  const book = bookFor(steps, start);
  const fails = async (scenario: Scenario) => scenario.some(isTwice);
  const isSought = () => true;
  expect(keyOf(await shrink(start, { book, fails, isSought }))).toBe(needed);
  // Several at once come to the same.
  expect(keyOf(await shrink(start, { book, fails, isSought, abreast: 4 }))).toBe(needed);
});

it('tries the mildest of a family first', () => {
  const step = storyOf(1, 0).find(({ kind }) => kind === 'delivery');
  const twin = step && faultAt(step, 'twin');
  expect(step && twin && milderFaults(twin, step).map(({ name }) => name)).toEqual(['duplicate', 'resent']);
});

it('announces a failure as failed, and numbers the rest again', () => {
  const steps = underOutcome(storyOf(1, 0), [{ step: 'job music #1', fault: 'take_fails:1' }]);
  const told = steps
    .filter(({ kind }) => kind === 'delivery')
    .map(({ name, match }) => `${name} of take ${match.take}`);
  expect(told).toEqual([
    'delivery music.generation.failed #1 of take 1',
    'delivery music.generation.succeeded #1 of take 2',
  ]);
  expect(steps.filter(({ kind }) => kind === 'cdn').map(({ name }) => name)).toEqual(['GET /cdn #2']);
  expect(outcomeOf([{ step: 'endpoint', fault: 'unknown_type' }])).toBe('');
});

it('writes tokens that bring everything back', () => {
  const steps = storyOf(1, 2);
  const all = [...plannedScenarios(steps, USUAL)];
  const longest = all.toSorted((a, b) => keyOf(b).length - keyOf(a).length).slice(0, 50);
  for (const faults of longest) {
    const scene = { kind: 'fault', command: commandMark(steps), faults } as const;
    const replay = { version: '0.1.0', seed: 4_294_967, check: 'pays-once', scene } as const;
    const token = writeToken(replay);
    expect(token.length).toBeLessThanOrEqual(200);
    expect(readToken(token)).toEqual(replay);
  }
});

const FAULT = { version: '0.1.0', seed: 1, check: 'pays-once' } as const;

it.each([
  '',
  'c1-',
  'c1-AAAA',
  'nonsense',
  `c1-${'A'.repeat(3000)}`,
  writeToken({ ...FAULT, scene: { kind: 'fault', command: 'a', faults: [{ step: 'a', fault: 'status:999' }] } }),
])('refuses the token %j', (token) => {
  expect(readToken(token)).toBeUndefined();
});

it('numbers requests by their bodies, whatever the order in which they come', () => {
  expect(numberMarks(['b', 'a'], ['a', 'b'])).toEqual([2, 1]);
  expect(numberMarks(['a', 'a', 'b'], ['a', 'b'])).toEqual([1, 3, 2]);
  expect(numberMarks(['x', 'y'], ['a', 'b'])).toEqual([1, 2]);
  expect(numberMarks(['a', 'new'], ['a'])).toEqual([1, 2]);
});

it('tries no end of a job that was returned with its work, however it is announced', () => {
  const [order] = storyOf(1, 0).filter(({ kind }) => kind === 'job');
  if (!order) throw new Error('There is no job.');
  const namesAt = (traits: Step['traits']) =>
    ['unpolled', 'late', 'instant'].filter((name) => faultAt({ ...order, traits }, name));
  expect(namesAt({ announced: true, synchronous: true })).toEqual([]);
  expect(namesAt({ announced: true })).toEqual(['unpolled', 'late', 'instant']);
  expect(namesAt({})).toEqual(['late', 'instant']);
});

it('keeps to the kinds of a search where it looks for something milder', async () => {
  const steps = storyOf(1, 0);
  const start: Scenario = [{ step: 'POST /v1/music/generations #1', fault: 'status:500' }];
  const book = bookFor(steps, start);
  const tried: string[] = [];
  const fails = async (scenario: Scenario) => {
    tried.push(keyOf(scenario));
    return true;
  };
  const search: FaultSearch = { ...USUAL, ...wanting(['status:500']) };
  const isSought = (fault: Fault, step: Step) => isSearched(fault, search, step);
  expect(await shrink(start, { book, fails, isSought })).toEqual(start);
  expect(tried).toEqual([]);
  const wider = { ...search, ...wanting(['status'], ['status:429']) };
  const milder = await shrink(start, { book, fails, isSought: (each, step) => isSearched(each, wider, step) });
  expect(milder).toEqual([{ step: 'POST /v1/music/generations #1', fault: 'status:503' }]);
});
