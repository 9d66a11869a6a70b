import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DELIVERY_FAULTS } from '../../../src/engine/faults/delivery-fault-table.ts';
import { EFFECT_KINDS } from '../../../src/engine/faults/effects/effect-table.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const { body: kinds } = await emulator.control('GET', '/effects');

interface Kind {
  kind: string;
  shape: string;
  fields: { name: string; type: string; value?: string }[];
  presets: { match: object; effect: object; times: number }[];
}

/** The effect with the initial values of the form. */
function firstOf({ kind, shape, fields }: Kind): object {
  if (shape === 'true') return { [kind]: true };
  const given = fields.flatMap(({ name, type, value }) =>
    value === undefined ? [] : [[name, type === 'number' ? Number(value) : value] as const],
  );
  return shape === 'nested' ? { [kind]: Object.fromEntries(given) } : Object.fromEntries(given);
}

it.each(kinds.data as Kind[])(
  'accepts the effect $kind with the initial values of its form in the dashboard, and describes it [I237]',
  async (kind) => {
    const account = await emulator.account();
    const effect = firstOf(kind);
    const match = { account_id: kind.kind === 'cdn' ? undefined : account.id };
    const made = await emulator.control('POST', '/faults', { match, effect });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ effect, text: expect.stringMatching(/^[A-Z].*[^.]$/) });
  },
);

it.each((kinds.data as Kind[]).flatMap(({ presets }) => presets))(
  'creates a ready-made rule: $text [I237]',
  async (preset) => {
    const { match, effect, times } = preset;
    const made = await emulator.control('POST', '/faults', { match, effect, times });
    expect(made.body).toMatchObject({ match, effect, times });
    await emulator.control('DELETE', '/faults');
  },
);

const reference = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8');

it.each(EFFECT_KINDS)('documents the effect %s with its JSON', (kind) => {
  expect(reference).toContain(`{"${kind}":`);
});

it.each(DELIVERY_FAULTS)('documents the delivery effect %s', (word) => {
  expect(reference).toMatch(new RegExp(`^\\|[^|]*\`${word}\`[^|]*\\|`, 'm'));
});
