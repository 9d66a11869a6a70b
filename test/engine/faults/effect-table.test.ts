import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WEBHOOK_FAULTS } from '../../../src/engine/faults/delivery-faults.ts';
import { EFFECT_KINDS, EFFECTS } from '../../../src/engine/faults/effects/effect-table.ts';

const reference = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8');

it('has a row for each effect of the folder, under the name of its first field', async () => {
  const folder = new URL('../../../src/engine/faults/effects/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /-effects?\.ts$/.test(name));
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  const exported = modules.flatMap((each) => Object.entries(each).filter(([name]) => name.endsWith('Effect')));
  expect(new Set(exported.map(([, row]) => row))).toEqual(new Set(Object.values(EFFECTS)));
  expect(exported).toHaveLength(EFFECT_KINDS.length);
  expect(EFFECT_KINDS.map((kind) => Object.keys(EFFECTS[kind].fields)[0])).toEqual(EFFECT_KINDS);
});

it.each(EFFECT_KINDS)('tells of %s in the reference, with its JSON', (kind) => {
  expect(reference).toContain(`{"${kind}":`);
});

it.each(WEBHOOK_FAULTS)('tells of the delivery %s in the reference', (word) => {
  expect(reference).toMatch(new RegExp(`^\\|[^|]*\`${word}\`[^|]*\\|`, 'm'));
});
