import { expect, it } from 'vitest';
import {
  FINAL_STATUSES,
  isOpenStatus,
  JOB_STATUSES,
  type JobStatus,
  requireJobTransition,
} from '../../../src/engine/jobs/job.ts';
import { openDatabase } from '../../support/open-database.ts';

const STATUSES: JobStatus[] = ['queued', 'processing', 'succeeded', 'failed'];

/** Every legal move; no other one is. */
const LEGAL = new Set([
  'queued processing',
  'queued succeeded',
  'queued failed',
  'processing queued',
  'processing succeeded',
  'processing failed',
]);

const MOVES = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

it.each(MOVES)('allows or rejects the change of a job from %s to %s [I059 R116]', (from, to) => {
  const move = () => requireJobTransition(from, to);
  if (LEGAL.has(`${from} ${to}`)) expect(move).not.toThrow();
  else expect(move).toThrow(`a job cannot go from ${from} to ${to}`);
});

it('defines four statuses of a job, of which the last two are final [I059]', () => {
  expect(JOB_STATUSES).toEqual(STATUSES);
  expect(FINAL_STATUSES).toEqual(['succeeded', 'failed']);
  expect([...STATUSES, 'running', null].filter(isOpenStatus)).toEqual(['queued', 'processing']);
});

it.each(['cancelled', 'done', ''])('rejects the job status %j in the database [I059]', async (status) => {
  const { database } = openDatabase();
  const sql = `INSERT INTO jobs (id, account_id, workspace_id, medium, status, model, parameters, render,
    store, credits, charge, order_charge, base_url, created) VALUES ('j', 'a', 'w', 'image', ?, 'm', '{}', '{}', 0, 1, 1, 1, '', 0)`;
  await expect(database.transact((tx) => tx.run(sql, status))).rejects.toThrow(/CHECK/);
});
