import path from 'node:path';
import type { ReachedLie, ToldLie } from '../../client/lie-relay.ts';
import { INBOX_PATH } from '../../engine/webhooks/inbox.ts';
import type { RunRecord } from '../runner/run-record.ts';
import { NO_UNITS, type UnitsOnRecord } from '../runner/unit-records.ts';

/** What is read of an emulator at the end of a run. */
export interface Evidence extends UnitsOnRecord {
  reached: readonly ReachedLie[];
  acted: readonly ToldLie[];
  /** Requests of emulators of the suite's own. */
  elsewhere: number;
}

export const NO_EVIDENCE: Evidence = { ...NO_UNITS, reached: [], acted: [], elsewhere: 0 };

const POLL = /^GET \/v1\/(?:music|videos)\/generations\/[^/]+$/;

/** A read of one job, as an app makes it that waits for the end of that job. */
export function isPoll({ method, path: at }: Pick<RunRecord['requests'][number], 'method' | 'path'>): boolean {
  return POLL.test(`${method} ${at}`);
}

/**
 * Without the sites of reads that are made or not by the pace of the machine: of jobs whose event a receiver has taken,
 * and which were read only before.
 */
export function certainSites(
  reached: readonly ReachedLie[],
  recordOfUnit: (unit: string | undefined) => RunRecord | undefined,
): ReachedLie[] {
  return reached.filter(({ site, unit }) => {
    const record = POLL.test(site) ? recordOfUnit(unit) : undefined;
    if (!record) return true;
    const reads = record.requests.filter(
      ({ path: at }) => path.posix.dirname(site) === `GET ${path.posix.dirname(at)}`,
    );
    return reads.some((read) => isPoll(read) && !isByPace(read, record));
  });
}

/** Whether a read of a job came before its event, which a receiver of the app has taken. */
function isByPace({ path: at, received_at: read }: RunRecord['requests'][number], { deliveries }: RunRecord): boolean {
  const taken = deliveries.filter(({ subject, url, response_status: status }) => {
    return subject === path.posix.basename(at) && status !== null && status < 300 && !url.includes(INBOX_PATH);
  });
  return taken.length > 0 && taken.every(({ attempted_at: sent }) => Date.parse(read) < Date.parse(sent ?? ''));
}
