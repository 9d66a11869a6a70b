import { expect, it } from 'vitest';
import { decideWork } from '../../../src/engine/generation/place-order.ts';

const faults = { ruleIds: ['flt_1'], fail: 'profile', slowSeconds: 7, jobs: [{}, { fail: 'rule' }] };
const scripted = { fail: 'script' };
const directives = { fail: { code: 'directive' }, slowSeconds: 2 };

it.each([
  ['a directive, and not a rule,', { directives, faults, scripted }, 'directive', 2],
  [
    'a rule, and not a directive for the first take,',
    { directives: { fail: { code: 'x', take: 1 } }, faults, scripted },
    'rule',
    7,
  ],
  ['a rule, and not the latency profile,', { directives: {}, faults, scripted }, 'rule', 7],
  ['the latency profile', { directives: {}, faults: { ...faults, jobs: [] }, scripted }, 'profile', 7],
  ['a scripted answer', { directives: {}, faults: undefined, scripted }, 'script', undefined],
  ['the render alone', { directives: {}, faults: undefined, scripted: undefined }, undefined, undefined],
])('lets %s decide how the second take of a song ends', (_what, sources, fail, slowSeconds) => {
  expect(decideWork(sources, { at: 1, take: 2 })).toMatchObject({ fail, slowSeconds });
});

it('prefers the own error of work that cannot succeed to the error of a fault rule, and the error of a directive to both', () => {
  expect(decideWork({ directives: {}, faults, scripted }, { at: 1, failWith: 'own' }).fail).toBe('own');
  expect(decideWork({ directives, faults, scripted }, { at: 1, failWith: 'own' }).fail).toBe('directive');
});
