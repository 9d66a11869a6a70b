import { expect, it } from 'vitest';
import { isOver, RUN_TRANSITIONS, type RunStatus, requireRunMove } from '../../../src/engine/flows/run.ts';

const STATUSES = Object.keys(RUN_TRANSITIONS) as RunStatus[];
const LEGAL = ['running waiting', 'running done', 'running failed', 'waiting running', 'waiting failed'];

it.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))(
  'knows whether a run may go from %s to %s',
  (from, to) => {
    const move = () => requireRunMove(from, to);
    if (LEGAL.includes(`${from} ${to}`)) expect(move).not.toThrow();
    else expect(move).toThrow(`cannot go from ${from} to ${to}`);
  },
);

it('has two statuses that are the end', () => {
  expect(STATUSES.filter(isOver)).toEqual(['done', 'failed']);
});
