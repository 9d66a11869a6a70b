import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WEBHOOK_FAULTS } from '../../src/faults/delivery-faults.ts';
import { EFFECT_KINDS, EFFECTS } from '../../src/faults/effects/effect-table.ts';

const reference = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');

it('has a row for each file of an effect, under the name of its first field', () => {
  const files = readdirSync(new URL('../../src/faults/effects', import.meta.url));
  expect(files.filter((name) => name.endsWith('-effect.ts'))).toHaveLength(EFFECT_KINDS.length);
  expect(EFFECT_KINDS.map((kind) => Object.keys(EFFECTS[kind].fields)[0])).toEqual(EFFECT_KINDS);
});

it.each(EFFECT_KINDS)('tells of %s in the reference, with its JSON', (kind) => {
  expect(reference).toContain(`{"${kind}":`);
});

it.each(WEBHOOK_FAULTS)('tells of the delivery %s in the reference', (word) => {
  expect(reference).toMatch(new RegExp(`^\\|[^|]*\`${word}\`[^|]*\\|`, 'm'));
});
