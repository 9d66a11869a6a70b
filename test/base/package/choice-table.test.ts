import { expect, it } from 'vitest';
import choices from '../../../fixtures/choices.json' with { type: 'json' };
import { choiceOfDroppedField, choiceOfErrorCode, choiceOfWarning } from '../../../src/base/package/choice-table.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

it('names the documented choice behind an ignored field and a rejected request in their explanations', async () => {
  const account = await emulator.account({ credits: 50 });
  const textOf = async (order: object) => {
    const { headers } = await account.post('/images/generations', order);
    const { body } = await emulator.control('GET', `/explain/${headers.get('x-request-id')}`);
    return JSON.stringify(body.steps);
  };
  expect(await textOf({ prompt: 'a barn', mood: 'gay' })).toContain('Ignored: mood (choice C001).');
  expect(await textOf({ prompt: 'a barn', model: 'none' })).toMatch(/model_not_found.+ \(choice C022\)/);
  expect(await textOf({ prompt: '' })).not.toContain('(choice');
});

it('names documented choices for warnings, dropped fields and error codes, but none for insufficient_credits', () => {
  const known = new Set<string>(choices.map(({ id }) => id));
  const warnings = ['mood', 'idempotency-key;unsupported', 'style;language', 'events;flow_id'];
  const named = [
    ...warnings.map(choiceOfWarning),
    ...['audio', 'seed', 'elements'].map(choiceOfDroppedField),
    ...choices.flatMap(({ touches }) => touches.codes.flatMap((code) => choiceOfErrorCode(code) ?? [])),
  ];
  expect(named.filter((id) => id === undefined || !known.has(id))).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
  expect(choiceOfErrorCode('insufficient_credits')).toBeUndefined();
});
