import type { Positions, Reader } from '../database/transaction.ts';

/** Succeeded jobs whose result is in no library: none, but for entries that their owner deleted. */
export function findMissingEntries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT j.id FROM jobs j LEFT JOIN library l ON l.job = j.position
       WHERE j.position > ? AND j.position <= ? AND j.status = 'succeeded' AND l.id IS NULL
         AND NOT EXISTS (SELECT 1 FROM deleted_entries WHERE job_id = j.id)`,
      after,
      last,
    )
    .map(({ id }) => id);
}

/** Entries of jobs that did not succeed: none, ever. */
export function findOrphanEntries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT l.id FROM library l LEFT JOIN jobs j ON j.position = l.job
       WHERE l.position > ? AND l.position <= ? AND (j.status IS NULL OR j.status <> 'succeeded')`,
      after,
      last,
    )
    .map(({ id }) => id);
}
