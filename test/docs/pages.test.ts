import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SERVICE } from '../../src/api/routes.ts';
import { execCommand } from '../../src/cli/exec-command.ts';
import { verifyCommand } from '../../src/cli/verify-command.ts';
import { flagOf, optionNames } from '../../src/config.ts';
import { CONTROL } from '../../src/control/control-routes.ts';
import { ERROR_TABLE } from '../../src/http/error-table.ts';
import { readPage } from './follow-page.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Every page but the conformance table, which is generated and checked by the script that writes it. */
const PAGES = [
  'README.md',
  ...readdirSync(path.join(ROOT, 'docs')).map((name) => `docs/${name}`),
].filter((page) => page.endsWith('.md') && page !== 'docs/conformance.md');
const REFERENCE = 'docs/http-api.md';

const COMMAND_FLAGS = [verifyCommand(), execCommand()].flatMap(({ options }) =>
  options.map(({ long }) => long),
);

/** Flags of programs that the pages mention beside the emulator's own. */
const OTHER_FLAGS = ['--help'];

it.each([
  ['service', / \/v1\//, SERVICE],
  ['control surface', / \/(?:_emulator\/|openapi\.json|llms\.txt)/, CONTROL],
])('names every operation of the %s and no other', (_, prefix, operations) => {
  const cells = readPage(REFERENCE).match(/(?<=^\| ).*?(?= \|)/gm) ?? [];
  const named = cells.flatMap(
    (cell) => cell.match(/`(?:GET|POST|PUT|PATCH|DELETE) \/[^`]*`/g) ?? [],
  );
  const written = operations.map(
    ({ method, path: route }) => `\`${method} ${route.replaceAll(/:(\w+)/g, '{$1}')}\``,
  );

  expect(named.filter((name) => prefix.test(name)).toSorted()).toEqual(written.toSorted());
});

it('gives every error code the status that it has [I005]', () => {
  const rows = [...readPage(REFERENCE).matchAll(/^\| (\d{3}) \| (.+?) \|/gm)];
  const documented = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
  );
  const inForce = Object.entries(ERROR_TABLE);

  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(inForce.map(([code, { status }]) => [code, status])),
  );
});

it.each(PAGES)(
  'mentions in %s only flags that there are, and links that lead somewhere',
  (page) => {
    const text = readPage(page);
    const known = [...optionNames().map(flagOf), ...COMMAND_FLAGS, ...OTHER_FLAGS];
    const flags = [...text.matchAll(/(?<=[\s`(])--[a-z][a-z-]+/g)].map(([flag]) => flag);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const dead = links.filter(([, file, anchor]) => !leadsSomewhere(page, file ?? '', anchor));

    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
    expect(dead.map(([link]) => link)).toEqual([]);
  },
);

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
