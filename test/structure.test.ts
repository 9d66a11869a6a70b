import path from 'node:path';
import { expect, it } from 'vitest';
import { sources } from './support/sources.ts';

/** From top to bottom: each layer imports only from itself and the layers below it. */
const LAYERS = [
  ['cli', 'index.ts', 'events.ts'],
  ['check'],
  ['client'],
  ['emulator.ts', 'compose.ts', 'lifecycle.ts'],
  ['dashboard'],
  ['control'],
  ['service'],
  ['engine'],
  ['media'],
  ['base'],
];

const layerOf = (name: string) => LAYERS.findIndex((row) => row.includes(name.split('/')[0] ?? ''));
/** The name after `engine/` in a path, such as `ledger`. */
const subjectOf = (name: string) => name.split('/')[1] ?? '';

it('has exactly nine folders in src, and five files next to them', () => {
  const found = new Set(sources.map(({ name }) => name.split('/')[0] ?? ''));
  expect([...found].toSorted()).toEqual(LAYERS.flat().toSorted());
});

it('lets each folder of src import only from itself and those after it: cli, check, client, dashboard, control, service, engine, media, base', () => {
  const upward = sources.flatMap(({ name, imports }) =>
    imports.filter((to) => layerOf(to) < layerOf(name)).map((to) => `${name} -> ${to}`),
  );
  expect(upward).toEqual([]);
});

/** The subjects of the engine, from top to bottom. */
const SUBJECTS = [
  ['flows', 'snapshots'],
  ['generation'],
  ['ledger', 'orders', 'jobs', 'storage', 'library', 'webhooks', 'catalogue', 'faults', 'journal'],
  ['accounts'],
  ['work-queue.ts'],
];
/** A new account gets a grant, and the first start makes the secret that signs URLs. */
const EXCEPTIONS = ['accounts -> ledger', 'accounts -> storage'];

it('lets the folders of src/engine import only in the order flows and snapshots, generation, nine others, accounts, with two exceptions', () => {
  const inside = sources.filter(({ name }) => name.startsWith('engine/'));
  const rowOf = (subject: string) => SUBJECTS.findIndex((row) => row.includes(subject));
  const upward = inside.flatMap(({ name, imports }) =>
    imports
      .filter((to) => to.startsWith('engine/') && rowOf(subjectOf(to)) < rowOf(subjectOf(name)))
      .map((to) => `${subjectOf(name)} -> ${subjectOf(to)}`),
  );
  expect(new Set(inside.map(({ name }) => subjectOf(name)))).toEqual(new Set(SUBJECTS.flat()));
  expect([...new Set(upward)].filter((arrow) => !EXCEPTIONS.includes(arrow))).toEqual([]);
});

it('lets src/check/faults and src/check/runner import only each other, src/client, src/base and files that this test lists', () => {
  const allowed = [
    ...['checks.ts', 'report.ts', 'token.ts', 'spend.ts', 'baseline-runs.ts'].map((name) => `check/${name}`),
    ...['control/call-operation.ts', 'control/control-connection.ts', 'control/verdict/finding-names.ts'],
    ...['engine/faults/delivery-fault-table.ts', 'engine/faults/compatible-changes.ts', 'engine/accounts/tests.ts'],
    // Output is masked before it is cut.
    'control/mask/mask.ts',
  ];
  const own = /^check\/(?:faults|runner)\//;
  const wrong = sources
    .filter(({ name }) => own.test(name))
    .flatMap(({ name, imports }) =>
      imports
        .filter((to) => !own.test(to) && !/^(?:client|base)\//.test(to) && !allowed.includes(to))
        .map((to) => `${name}: ${to}`),
    );
  expect(wrong).toEqual([]);
});

it('lets the folders ledger, jobs, storage and webhooks of src/engine import nothing from each other', () => {
  const independent = ['ledger', 'jobs', 'storage', 'webhooks'];
  const subject = (name: string) => (name.startsWith('engine/') ? subjectOf(name) : '');
  const wrong = sources.filter(
    ({ name, imports }) =>
      independent.includes(subject(name)) &&
      imports.some((to) => independent.includes(subject(to)) && subject(to) !== subject(name)),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

const PAGE = 'dashboard/page/';
/** From the emulator, the page imports types and these files, which work in a browser. */
const SHARED =
  /^base\/(?:output\/|text\.)|^control\/trace\/(?!collect|save|write)|^control\/orders\/(?!explain|price|stored|order-operations)|^control\/search\/search-query|^control\/(?:control-errors|call-operation)\./;
/** From top to bottom; an area is a folder with a page, and imports from no other area. */
const PAGE_LAYERS = [['main.tsx', 'trace-main.tsx'], ['shell'], ['an area'], ['components'], ['data']];

/** The first folder below the page. */
const areaOf = (name: string) => name.split('/')[0] ?? '';

function pageLayerOf(name: string): number {
  const folder = areaOf(name.slice(PAGE.length));
  const layer = PAGE_LAYERS.findIndex((names) => names.includes(folder));
  return layer === -1 ? PAGE_LAYERS.findIndex(([first]) => first === 'an area') : layer;
}

it('lets the dashboard page import only types and listed files, nothing else import the page, and no area of the page import another area', () => {
  const ofPage = sources.filter(({ name }) => name.startsWith(PAGE));
  const wrong = ofPage.flatMap(({ name, code, imports }) => {
    const inside = imports.filter((to) => to.startsWith(PAGE));
    const upward = inside.filter((to) => pageLayerOf(to) < pageLayerOf(name));
    const across = inside.filter(
      (to) =>
        pageLayerOf(to) === pageLayerOf(name) && areaOf(to.slice(PAGE.length)) !== areaOf(name.slice(PAGE.length)),
    );
    const values = [...code.matchAll(/^(?:import|export) (?!type\b)[^;]*?'((?:\.\.\/)+[^']+)'/gm)]
      .map(([, to]) => path.posix.join(path.posix.dirname(name), to ?? ''))
      .filter((to) => !to.startsWith(PAGE) && !SHARED.test(to));
    return [...upward, ...across, ...values].map((to) => `${name}: ${to}`);
  });
  const intoPage = sources
    .filter(({ name }) => !name.startsWith(PAGE))
    .filter(({ imports }) => imports.some((to) => to.startsWith(PAGE)));
  expect(ofPage.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
  expect(intoPage.map(({ name }) => name)).toEqual([]);
});

it('has no cycle of imports, including types', () => {
  const graph = new Map(sources.map(({ name, imports }) => [name, imports]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (name: string, trail: string[]): void => {
    if (trail.includes(name)) cycles.push([...trail.slice(trail.indexOf(name)), name].join(' -> '));
    else if (!done.has(name)) for (const to of graph.get(name) ?? []) visit(to, [...trail, name]);
    done.add(name);
  };
  for (const { name } of sources) visit(name, []);
  expect(cycles).toEqual([]);
});

it.each<[string, code: RegExp, allowed: RegExp]>([
  [
    'reads the time',
    /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)|performance\.(?:now|timeOrigin)|\bhrtime\b|process\.uptime|Temporal\.Now/,
    /^base\/clock\/|\/browser\.ts$/,
  ],
  ['makes randomness', /Math\.random|randomBytes|randomUUID|randomInt|getRandomValues/, /^base\/random\.ts$/],
  ['sets a timer', /\bset(?:Timeout|Interval)\b/, /^base\/clock\/|^cli\/|\/browser\.ts$/],
  ['reads the environment', /process\.env/, /^base\/config\/|^cli\//],
  [
    'holds SQL',
    /\b(?:SELECT [\w*(]|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE)/,
    /-store\.ts$|^base\/database\//,
  ],
  ['prints on a terminal', /process\.std(?:out|err)\.write/, /^cli\/(?:terminal-output|main)\.ts$|\/code-samples\.ts$/],
])('has code that %s only in certain places', (_what, pattern, allowed) => {
  const wrong = sources.filter(({ name, code }) => pattern.test(code) && !allowed.test(name));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

it('gives no file a vague name such as utils', () => {
  const vague = /(^|\/)(utils?|helpers?|types?|common|shared|manager|misc|lib)(\/|\.tsx?$)|\/index\.tsx?$/;
  expect(sources.map(({ name }) => name).filter((name) => vague.test(name))).toEqual([]);
});

it('has no try statement in service/api/, because operations return or throw', () => {
  const tries = sources.filter(({ name, code }) => name.startsWith('service/api/') && /\btry\s*\{/.test(code));
  expect(tries.map(({ name }) => name)).toEqual([]);
});
