import type { Positions, Reader } from '../database/transaction.ts';

/** Deliveries whose state contradicts itself: tried without a time of the attempt, or due although tried. None, ever. */
export function findBrokenDeliveries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT d.id FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
       WHERE d.position > ? AND d.position <= ? AND (e.id IS NULL
          OR (d.status = 'due' AND d.attempted_at IS NOT NULL)
          OR (d.status IN ('attempted', 'delivered') AND d.attempted_at IS NULL)
          OR (d.status = 'delivered' AND (d.response_status IS NULL OR d.response_status NOT BETWEEN 200 AND 299)))`,
      after,
      last,
    )
    .map(({ id }) => id);
}
