import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/engine/webhooks/event-schemas.ts';
import { ERROR_TABLE } from '../../src/service/http/error-response.ts';
import { world } from '../support/world.ts';

interface Choice {
  id: string;
  area: string;
  open: string;
  here: string;
  touches: { operations: string[]; events: string[]; fields: string[]; codes: string[] };
  rules?: string[];
}

const file = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const emulator = await world();
const choices: Choice[] = JSON.parse(readFileSync(file('fixtures/choices.json'), 'utf8'));

it('lists every choice of the emulator on the choices page', async () => {
  const check = promisify(execFile)(process.execPath, [file('scripts/choices.mjs'), '--check']);
  await expect(check).resolves.toMatchObject({ stderr: '' });
});

it('names only existing rules in the choices, and links each of these rules to its choice on the conformance page', () => {
  const page = readFileSync(file('docs/project/conformance.md'), 'utf8').split('\n');
  for (const { id, rules = [] } of choices) {
    expect(rules).toEqual([...new Set(rules)]);
    for (const rule of rules) {
      const row = page.find((line) => line.startsWith(`| ${rule} |`));
      expect(row, `${id} names ${rule}`).toContain(`[${id}](../choices.md#`);
    }
  }
  const named = new Set(page.flatMap((line) => [...line.matchAll(/\[(C\d{3})\]\(/g)].map(([, id]) => id)));
  expect([...named].toSorted()).toEqual(choices.flatMap(({ id, rules }) => (rules ? [id] : [])));
});

it('defines every choice that the source code names', () => {
  const known = new Set(choices.map(({ id }) => id));
  const sources = readdirSync(file('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const named = sources.flatMap((name) => readFileSync(file(`src/${name}`), 'utf8').match(/\bC\d{3}\b/g) ?? []);
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((id) => !known.has(id))).toEqual([]);
});

it('gives each choice its own id, in ascending order', () => {
  const ids = choices.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  for (const id of ids) expect(id).toMatch(/^C\d{3}$/);
});

it('names only existing operations, events and error codes in docs/choices.md', async () => {
  const { paths } = (await emulator.call('GET', '/openapi.json')).body;
  const operations = Object.values<Record<string, { operationId?: string }>>(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations).toEqual(expect.arrayContaining(touched('operations').filter((name) => name !== '*')));
  expect(EVENT_TYPES).toEqual(expect.arrayContaining(touched('events')));
  expect(Object.keys(ERROR_TABLE)).toEqual(expect.arrayContaining(touched('codes')));
});

function touched(what: keyof Choice['touches']): string[] {
  return [...new Set(choices.flatMap(({ touches }) => touches[what]))];
}
