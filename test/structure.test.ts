import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { sources } from './support/sources.ts';

/** From top to bottom: each storey imports only from itself and those below it. */
const STOREYS = [
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

const storeyOf = (name: string) => STOREYS.findIndex((row) => row.includes(name.split('/')[0] ?? ''));
/** The subject of a file of the engine. */
const subjectOf = (name: string) => name.split('/')[1] ?? '';
/** Where a file stands: its folder, or of the small storeys the storey. */
const folderOf = (name: string) => path.posix.dirname(name);

it('has nine source folders, and the files that combine and export them', () => {
  const found = new Set(sources.map(({ name }) => name.split('/')[0] ?? ''));
  expect([...found].toSorted()).toEqual(STOREYS.flat().toSorted());
});

it('imports in each folder only from folders below it', () => {
  const upward = sources.flatMap(({ name, imports }) =>
    imports.filter((to) => storeyOf(to) < storeyOf(name)).map((to) => `${name} -> ${to}`),
  );
  expect(upward).toEqual([]);
});

/** The subjects of the engine, from top to bottom, as its storeys. */
const SUBJECTS = [
  ['flows', 'snapshots'],
  ['generation'],
  ['ledger', 'orders', 'jobs', 'storage', 'library', 'webhooks', 'catalogue', 'faults', 'journal'],
  ['accounts'],
  ['work-queue.ts'],
];
/** An account is opened with a grant, and a first start seeds what signs URLs. */
const GRANTED = ['accounts -> ledger', 'accounts -> storage'];

it('imports in each subject of the engine only from subjects below it', () => {
  const inside = sources.filter(({ name }) => name.startsWith('engine/'));
  const rowOf = (subject: string) => SUBJECTS.findIndex((row) => row.includes(subject));
  const upward = inside.flatMap(({ name, imports }) =>
    imports
      .filter((to) => to.startsWith('engine/') && rowOf(subjectOf(to)) < rowOf(subjectOf(name)))
      .map((to) => `${subjectOf(name)} -> ${subjectOf(to)}`),
  );
  expect(new Set(inside.map(({ name }) => subjectOf(name)))).toEqual(new Set(SUBJECTS.flat()));
  expect([...new Set(upward)].filter((arrow) => !GRANTED.includes(arrow))).toEqual([]);
});

it('lets check and exec use the emulator only through public operations', () => {
  // How findings are named and reported, and what runs are compared with.
  const drawn = [...['checks.ts', 'report.ts', 'token.ts', 'baseline-runs.ts'].map((name) => `check/${name}`)];
  // What a user may write behind `--allow`, and how faults of deliveries and tests are called.
  const words = [
    ...['control/verdict/finding-names.ts', 'engine/faults/webhook-fault-table.ts', 'engine/accounts/tests.ts'],
    'engine/faults/compatible-changes.ts',
    // Output is masked before it is cut.
    'control/mask/mask.ts',
  ];
  const calls = ['control/call-operation.ts', 'control/control-connection.ts'];
  const hands = /^(?:check\/(?:faults|runner)|client|base)\//;
  const wrong = sources
    .filter(({ name }) => /^check\/(?:faults|runner)\//.test(name))
    .flatMap(({ name, imports }) =>
      imports
        .filter((to) => !hands.test(to) && ![...drawn, ...words, ...calls].includes(to))
        .map((to) => `${name}: ${to}`),
    );
  expect(wrong).toEqual([]);
});

it('keeps ledger, jobs, storage and webhooks independent of each other', () => {
  const strangers = ['ledger', 'jobs', 'storage', 'webhooks'];
  const acquainted = sources
    .filter(({ name }) => name.startsWith('engine/') && strangers.includes(subjectOf(name)))
    .filter(({ name, imports }) =>
      imports.some(
        (to) => to.startsWith('engine/') && subjectOf(to) !== subjectOf(name) && strangers.includes(subjectOf(to)),
      ),
    );
  expect(acquainted.map(({ name }) => name)).toEqual([]);
});

const PAGE = 'dashboard/page/';
/** Of the emulator it takes types, and these, which are pure: orders are drawn in the page as in the service. */
const PURE =
  /^base\/output\/|^control\/trace\/(?!collect|save|write)|^control\/orders\/(?!explain|price|stored|order-operations)|^control\/search\/search-query|^control\/(?:control-errors|call-operation)\./;
/** The page is a program of its own: its areas use pieces and data, and do not know each other. */
const PAGE_ROWS = [['main.tsx', 'trace-main.tsx'], ['shell'], ['an area'], ['pieces'], ['data']];

/** The first folder below the page. */
const areaOf = (name: string) => name.split('/')[0] ?? '';

function pageRowOf(name: string): number {
  const folder = areaOf(name.slice(PAGE.length));
  const row = PAGE_ROWS.findIndex((names) => names.includes(folder));
  return row === -1 ? PAGE_ROWS.findIndex(([first]) => first === 'an area') : row;
}

it('isolates the page of the dashboard, and its areas from each other', () => {
  const ofPage = sources.filter(({ name }) => name.startsWith(PAGE));
  const wrong = ofPage.flatMap(({ name, code, imports }) => {
    const inside = imports.filter((to) => to.startsWith(PAGE));
    const upward = inside.filter((to) => pageRowOf(to) < pageRowOf(name));
    const abroad = inside.filter(
      (to) => pageRowOf(to) === pageRowOf(name) && areaOf(to.slice(PAGE.length)) !== areaOf(name.slice(PAGE.length)),
    );
    const typeless = [...code.matchAll(/^(?:import|export) (?!type\b)[^;]*?'((?:\.\.\/)+[^']+)'/gm)]
      .map(([, to]) => path.posix.join(path.posix.dirname(name), to ?? ''))
      .filter((to) => !to.startsWith(PAGE) && !PURE.test(to));
    return [...upward, ...abroad, ...typeless].map((to) => `${name}: ${to}`);
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

it.each([
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
])('allows only one place that %s', (_what, sign, door) => {
  const through = sources.filter(({ name, code }) => sign.test(code) && !door.test(name));
  expect(through.map(({ name }) => name)).toEqual([]);
});

it('gives every source file a specific name that is unique in its folder', () => {
  const named = sources.map(({ name }) => `${folderOf(name)}/${path.basename(name)}`);
  expect(named.filter((name, at) => named.indexOf(name) !== at)).toEqual([]);
  const bases = sources.map(({ name }) => path.basename(name));
  expect(bases.filter((base) => !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(base))).toEqual([]);
  const drawers = /(^|\/)(utils?|helpers?|types?|common|shared|manager|misc|lib)(\/|\.tsx?$)/;
  expect(sources.map(({ name }) => name).filter((name) => drawers.test(name))).toEqual([]);
  expect(sources.map(({ name }) => name).filter((name) => /\/index\.tsx?$/.test(name))).toEqual([]);
});

const MAX_FILE = 400;

it('has no file of more than 400 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length - 1 > MAX_FILE);
  expect(long.map(({ name }) => name)).toEqual([]);
});

const functions = sources.flatMap(({ name, text }) => functionsOf(name, text));

const MAX_FUNCTION = 60;

it('has no function of more than 60 lines', () => {
  const long = functions.filter(({ lines }) => lines > MAX_FUNCTION);
  expect(long.map(({ where, lines }) => `${where}: ${lines} lines`)).toEqual([]);
});

const MAX_PARAMETERS = 4;

it('has functions of at most four positional parameters', () => {
  const wide = functions.filter(takesTooMany);
  expect(wide.map(({ where, parameters }) => `${where}: ${parameters} parameters`)).toEqual([]);
});

it.each([
  ['five names', 'function f(a: 1, b: 2, c: 3, d: 4, e: 5) {}'],
  ['names behind a rest', 'const f = (a: 1, b: 2, ...[c, d, e]: number[]) => a'],
  ['a method of five', 'class A { m(a: 1, b: 2, c: 3, d: 4, e = 5) {} }'],
])('detects too many parameters: %s', (_what, text) => {
  expect(functionsOf('a.ts', text).filter(takesTooMany)).toHaveLength(1);
});

function takesTooMany({ parameters }: Measure): boolean {
  return parameters > MAX_PARAMETERS;
}

/** A rest of which the parts are named counts by them: it is a list of parameters by another spelling. */
function countParameters(parameters: readonly ts.ParameterDeclaration[]): number {
  const counts = parameters.map(({ name, dotDotDotToken }) =>
    dotDotDotToken && ts.isArrayBindingPattern(name)
      ? name.elements.filter((element) => !ts.isOmittedExpression(element)).length
      : 1,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Measure {
  where: string;
  lines: number;
  parameters: number;
}

function functionsOf(name: string, text: string): Measure[] {
  const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false, kind);
  const lineAt = (at: number) => file.getLineAndCharacterOfPosition(at).line;
  const found: Measure[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = lineAt(node.getStart(file));
      const parameters = countParameters(node.parameters as readonly ts.ParameterDeclaration[]);
      found.push({ where: `${name}:${first + 1}`, lines: lineAt(node.end) - first + 1, parameters });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it('has no try statement in service/api/, because operations return or throw', () => {
  const tries = sources.filter(({ name, code }) => name.startsWith('service/api/') && /\btry\s*\{/.test(code));
  expect(tries.map(({ name }) => name)).toEqual([]);
});
