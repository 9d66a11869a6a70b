import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

const emulator = await world();
const { body: kinds } = await emulator.control('GET', '/effects');

interface Kind {
  kind: string;
  shape: string;
  fields: { name: string; type: string; value?: string }[];
  presets: { match: object; effect: object; times: number }[];
}

/** The effect as the form holds it at first; of a form that begins empty, with its first switch on. */
function firstOf({ kind, shape, fields }: Kind): object {
  if (shape === 'true') return { [kind]: true };
  const given = fields.flatMap(({ name, type, value }) =>
    value === undefined ? [] : [[name, type === 'number' ? Number(value) : value] as const],
  );
  return shape === 'nested' ? { [kind]: Object.fromEntries(given) } : Object.fromEntries(given);
}

it.each(kinds.data as Kind[])('takes the form of $kind as it stands at first, and words it [I237]', async (kind) => {
  const account = await emulator.account();
  const effect = firstOf(kind);
  const match = { account_id: kind.kind === 'cdn' ? undefined : account.id };
  const made = await emulator.control('POST', '/faults', { match, effect });
  // Nobody would start this process again.
  expect(made.status).toBe(kind.kind === 'crash' ? 400 : 201);
  if (made.status === 201) expect(made.body).toMatchObject({ effect, says: expect.stringMatching(/^[A-Z].*[^.]$/) });
});

it.each((kinds.data as Kind[]).flatMap(({ presets }) => presets))(
  'arms what one click makes: $text [I237]',
  async (preset) => {
    const { match, effect, times } = preset;
    const made = await emulator.control('POST', '/faults', { match, effect, times });
    expect(made.body).toMatchObject({ match, effect, times });
    await emulator.control('DELETE', '/faults');
  },
);
