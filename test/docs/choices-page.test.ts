import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/http/error-printer.ts';
import { EVENT_TYPES } from '../../src/webhooks/event-schemas.ts';
import { world } from '../support/world.ts';

interface Choice {
  id: string;
  area: string;
  open: string;
  here: string;
  touches: { operations: string[]; events: string[]; fields: string[]; codes: string[] };
}

const file = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const emulator = await world();
const choices: Choice[] = JSON.parse(readFileSync(file('fixtures/choices.json'), 'utf8'));

it('prints every choice on its page, from the one file that has them', async () => {
  const check = promisify(execFile)(process.execPath, [file('scripts/choices.mjs'), '--check']);
  await expect(check).resolves.toMatchObject({ stderr: '' });
  const page = readFileSync(file('docs/choices.md'), 'utf8');
  for (const { id, open } of choices) expect(page).toContain(`| ${id} | ${open} |`);
});

it('gives each choice an id of its own, in ascending order', () => {
  const ids = choices.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  for (const id of ids) expect(id).toMatch(/^C\d{3}$/);
});

it('names operations, events and codes that exist', async () => {
  const { paths } = (await emulator.call('GET', '/openapi.json')).body;
  const operations = Object.values<Record<string, { operationId?: string }>>(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations).toEqual(expect.arrayContaining(touched('operations').filter((name) => name !== '*')));
  expect(EVENT_TYPES).toEqual(expect.arrayContaining(touched('events')));
  expect(Object.keys(ERROR_TABLE)).toEqual(expect.arrayContaining(touched('codes')));
});

it('lists them over HTTP as the file has them', async () => {
  const { status, body } = await emulator.control('GET', '/choices');
  expect({ status, body }).toEqual({ status: 200, body: { object: 'list', data: choices } });
});

function touched(what: keyof Choice['touches']): string[] {
  return [...new Set(choices.flatMap(({ touches }) => touches[what]))];
}
