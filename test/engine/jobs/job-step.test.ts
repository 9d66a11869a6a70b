import { expect, it } from 'vitest';
import {
  advanceJob,
  type JobTransitionInput,
  type JobTransitionState,
} from '../../../src/engine/jobs/job-state-machine.ts';
import type { JobOutcome, JobProgression } from '../../../src/engine/jobs/job-store.ts';

const NOW = 100_000;
const FILE: JobOutcome = { file: { name: 'f'.repeat(64), bytes: 1, contentType: 'image/png' } };
const error = { code: 'render_failed', message: 'It failed.' };
const BROKEN: JobOutcome = { error };

/** States before the input, named `status` or `status/outcome`. */
const STATES: Record<string, Partial<JobTransitionState>> = {
  queued: {},
  'queued/file': { outcome: FILE },
  processing: { status: 'processing', started: 1 },
  'processing/file': { status: 'processing', started: 1, outcome: FILE },
  'processing/error': { status: 'processing', started: 1, outcome: BROKEN },
  'processing, released': { status: 'processing', started: 1, released: true },
  succeeded: { status: 'succeeded', started: 1, completed: 2, outcome: FILE },
};

const INPUTS: Record<string, JobTransitionInput> = {
  added: { kind: 'added', outcome: FILE },
  started: { kind: 'started' },
  rendered: { kind: 'rendered', outcome: FILE },
  polled: { kind: 'polled' },
  due: { kind: 'due' },
  overdue: { kind: 'overdue' },
  'finished well': { kind: 'finished' },
  'finished badly': { kind: 'finished', failure: 'out_of_memory' },
  hung_up: { kind: 'hung_up' },
  gave_up: { kind: 'gave_up', error },
  cut: { kind: 'cut', error },
  restarted: { kind: 'restarted' },
};

const PROGRESSIONS: Record<string, JobProgression> = {
  render: { mode: 'render', value: null },
  seconds: { mode: 'seconds', value: 1000 },
  polls: { mode: 'polls', value: 1 },
  manual: { mode: 'manual', value: null },
};

const WAITERS = ['call', 'run', null] as const;

const NEW: JobTransitionState = {
  ...{ status: 'queued', waiter: null, created: 0, started: null, completed: null, readyAt: null, polls: 0 },
  ...{ failWith: null, faults: null, outcome: null, released: false },
};

/** Why a cell cannot occur, or undefined if it can. */
function impossible(state: string, input: string): string | undefined {
  if (input === 'added' && state !== 'queued') return 'a job is added once';
  if (input === 'started' && state === 'queued/file') return 'the queue passes over a job with an outcome';
  return undefined;
}

function cell(state: string, input: string, progression: string, waiter: JobTransitionState['waiter']): string {
  const why = impossible(state, input);
  if (why) return `cannot occur: ${why}`;
  const before = { ...NEW, waiter, ...STATES[state] };
  const made = () =>
    advanceJob(before, INPUTS[input] as JobTransitionInput, PROGRESSIONS[progression] as JobProgression, NOW);
  const { job, end, next } = made();
  expect(made()).toEqual({ job, end, next });
  const outcome = job.outcome === null ? '' : 'error' in job.outcome ? `/${job.outcome.error.code}` : '/file';
  const flags = [job.released && 'released', job.polls > before.polls && 'polled', job.started === null && 'unstarted'];
  const ending = end && ('error' in end ? 'refund' : 'hand over');
  const waits = typeof next === 'object' ? (next.at > NOW ? 'time' : 'due') : next;
  return `${[job.status + outcome, ...flags, ending].filter(Boolean).join(' ')} -> ${waits}`;
}

/** One line per state, input and result. Waiters and progressions with the same result share it. */
function grid(): string {
  const lines: string[] = [];
  for (const state of Object.keys(STATES)) {
    for (const input of Object.keys(INPUTS)) {
      const cells = WAITERS.flatMap((waiter) =>
        Object.keys(PROGRESSIONS).map((mode) => ({
          of: `${waiter ?? 'nobody'}+${mode}`,
          is: cell(state, input, mode, waiter),
        })),
      );
      const kinds = [...new Set(cells.map(({ is }) => is))];
      for (const kind of kinds) {
        const of = cells.filter(({ is }) => is === kind).map((each) => each.of);
        lines.push(`${state} | ${input} | ${of.length === cells.length ? 'all' : of.join(' ')} | ${kind}`);
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

it('changes a job as documented in job-steps.txt for every state, input (such as a poll or a restart) and progression, whether a request, a flow run or nobody waits for it [I059 I061 I062 R005]', async () => {
  await expect(grid()).toMatchFileSnapshot('./job-steps.txt');
});
