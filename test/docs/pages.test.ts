import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { flagOf, optionNames } from '../../src/base/config/config.ts';
import { createProgram } from '../../src/cli/program.ts';
import { CONTROL_OPERATIONS } from '../../src/control/control-routes.ts';
import { SERVICE_OPERATIONS } from '../../src/service/api/routes.ts';
import { ERROR_TABLE } from '../../src/service/http/error-response.ts';
import { readPage } from './follow-page.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Every page except the conformance table, which a script generates and checks. */
const PAGES = [
  'README.md',
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((page) => page.endsWith('.md') && !page.endsWith('/conformance.md'));
const REFERENCE = 'docs/http-api.md';

const COMMANDS = createProgram().commands.flatMap((command) => [command, ...command.commands]);
const COMMAND_FLAGS = COMMANDS.flatMap(({ options }) => options.map(({ long }) => long));

/** Flags of programs that the pages mention next to the emulator's own. */
const OTHER_FLAGS = [
  ...['--omit', '--part', '--silent', '--write'],
  ...[
    '--help',
    '--rm',
    '--no-install',
    '--save-dev',
    '--provenance',
    '--access',
    '--dry-run',
    '--follow-tags',
    '--output',
  ],
  ...['--ignore-scripts', '--build-from-source', '--languages', '--library', '--mode', '--test'],
];

it.each([
  ['operation of the service', / \/v1\//, SERVICE_OPERATIONS],
  ['control operation', / \/_emulator\//, CONTROL_OPERATIONS],
])('names every %s in the HTTP reference, and no other', (_, prefix, operations) => {
  const cells = readPage(REFERENCE).match(/(?<=^\| ).*?(?= \|)/gm) ?? [];
  const named = cells.flatMap((cell) => cell.match(/`(?:GET|POST|PUT|PATCH|DELETE) \/[^`]*`/g) ?? []);
  const written = operations.map(({ method, path: route }) => `\`${method} ${route.replaceAll(/:(\w+)/g, '{$1}')}\``);

  expect(named.filter((name) => prefix.test(name)).toSorted()).toEqual(written.toSorted());
});

it('lists every error code in the docs, with its status, type and remedy', () => {
  const rows = [...readPage('docs/errors.md').matchAll(/^\| (\d{3}) \| `(\w+)` \| `(\w+)` \| .+ \| .+ \|$/gm)];
  const documented = rows.map(([, status, code, type]) => [code, { status: Number(status), type }]);

  expect(Object.fromEntries(documented)).toEqual(ERROR_TABLE);
  expect(rows).toHaveLength(Object.keys(ERROR_TABLE).length);
});

it('lists every docs page in the overview', () => {
  const list = readPage('docs/README.md');
  const named = [...list.matchAll(/^\| \[.+?\]\(([\w-]+\.md)\) \| .+ \|$/gm)].map(([, name]) => name);
  const pages = readdirSync(path.join(ROOT, 'docs')).filter((name) => name !== 'README.md');

  expect(named.toSorted()).toEqual(pages.filter((name) => name.endsWith('.md')).toSorted());
});

it.each(PAGES)('mentions in %s only existing flags and working relative links', (page) => {
  const text = readPage(page);
  const known = [...optionNames().map(flagOf), ...COMMAND_FLAGS, ...OTHER_FLAGS];
  const flags = [...text.matchAll(/(?<=[\s`(])--[a-z][a-z-]+/g)].map(([flag]) => flag);
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  const dead = links.filter(([, file, anchor]) => !leadsSomewhere(page, file ?? '', anchor));

  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  expect(dead.map(([link]) => link)).toEqual([]);
});

function leadsSomewhere(page: string, file: string, anchor: string | undefined): boolean {
  const target = file === '' ? path.join(ROOT, page) : path.join(ROOT, path.dirname(page), file);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** The anchors that Markdown renderers make of headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

it('names only existing files in the page for contributors', () => {
  const named = readPage('CONTRIBUTING.md').matchAll(/`((?:src|test|docs|fixtures|scripts)\/[a-z][\w./-]*)`/g);
  // A word in capitals is a placeholder.
  const paths = [...named].map(([, file = '']) => file).filter((file) => !/[A-Z]{4}/.test(file));

  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((file) => !existsSync(`${ROOT}/${file}`))).toEqual([]);
});

it('names in AGENTS.md only npm scripts that exist', () => {
  const { scripts } = JSON.parse(readPage('package.json'));
  const named = [...readPage('AGENTS.md').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(named).toContain('check');
  expect(named.filter((name) => !Object.hasOwn(scripts, `${name}`))).toEqual([]);
});
