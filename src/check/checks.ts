import { RESPONSE_CHANGE_NAMES } from './faults/fault-table.ts';

export interface Check {
  id: string;
  /** Follows "Your integration", as in "Your integration pays once for each order". */
  title: string;
  /** The faults with which the check is tested. A name such as `kill` includes `kill:during`. */
  faults: readonly string[];
  codes: readonly string[];
  needs: string;
  missing?: { why: string; next: string };
}

const NOTHING = { faults: [], codes: [], needs: 'more traffic' };

export const CHECKS = [
  {
    ...NOTHING,
    id: 'pays-once',
    title: 'pays once for each order',
    faults: ['lost_response', 'slow', 'twin'],
    codes: ['paid_twice', 'paid_again'],
    needs: 'a paid request',
  },
  {
    ...NOTHING,
    id: 'collects-results',
    title: 'collects what it paid for',
    faults: ['late_end'],
    codes: ['uncollected_job'],
    needs: 'a client that reads its jobs',
  },
  {
    ...NOTHING,
    id: 'refunds-failures',
    title: 'refunds each failed order once',
    faults: ['fails', 'take_fails', 'blocked'],
    needs: 'an order of a clip, a song or an image',
  },
  {
    ...NOTHING,
    id: 'stops-without-credits',
    title: 'stops when credits end',
    faults: ['empty_balance'],
    codes: ['retried_402'],
    needs: 'a paid request',
  },
  {
    ...NOTHING,
    id: 'honours-retry-after',
    title: 'waits as long as Retry-After says',
    faults: ['status:429', 'status:503'],
    codes: ['ignored_retry_after', 'polled_too_often'],
    needs: 'a request',
  },
  {
    ...NOTHING,
    id: 'rejects-forged-events',
    title: 'rejects forged and old events',
    faults: ['forged', 'replayed'],
    codes: ['accepted_forgery'],
    needs: 'a webhook endpoint of the app',
  },
  {
    ...NOTHING,
    id: 'handles-duplicates',
    title: 'handles each event once',
    faults: ['duplicate', 'twin', 'resent'],
    needs: 'a webhook endpoint of the app',
  },
  {
    ...NOTHING,
    id: 'survives-lost-messages',
    title: 'loses no order if responses or events are lost, late or out of order',
    faults: [
      ...['lost_response', 'lost_request', 'slow', 'status:500', 'swapped'],
      ...['lost', 'late', 'reorder', 'instant', 'unpolled'],
    ],
    codes: ['lost_event', 'slow_receiver'],
    needs: 'a request',
  },
  {
    ...NOTHING,
    id: 'survives-restart',
    title: 'survives being killed',
    faults: ['kill'],
    needs: 'an app that --start runs',
    missing: { why: 'no app is started next to the tests', next: '--start COMMAND --only survives-restart' },
  },
  {
    ...NOTHING,
    id: 'verifies-files',
    title: 'delivers whole and correct files',
    faults: ['truncated', 'expired', 'wrong_type', 'flipped'],
    codes: ['used_expired_url'],
    needs: 'the download of a file',
  },
  {
    ...NOTHING,
    id: 'detects-cut-streams',
    title: 'does not mistake half a reply for a whole one',
    faults: ['cut'],
    needs: 'a streamed chat',
  },
  {
    ...NOTHING,
    id: 'matches-ledger',
    title: 'keeps records that match the ledger',
    needs: 'a paid request',
    missing: {
      why: 'nothing compared the books with the ledger',
      next: '--assert COMMAND --only matches-ledger',
    },
  },
  {
    ...NOTHING,
    id: 'spend-unchanged',
    title: 'costs the same as last time',
    missing: { why: 'no baseline contains the cost of the tests', next: '--only spend-unchanged --update-baseline' },
  },
  {
    ...NOTHING,
    id: 'tolerates-changes',
    title: 'accepts compatible changes',
    faults: [...RESPONSE_CHANGE_NAMES, 'spelled', 'two_proofs', 'unknown_type'],
  },
] as const satisfies readonly Check[];

export type CheckId = (typeof CHECKS)[number]['id'];
export const CHECK_IDS: readonly CheckId[] = CHECKS.map(({ id }) => id);

export function findCheckById(id: CheckId): Check {
  return CHECKS.find((check) => check.id === id) ?? CHECKS[0];
}

export function matchesFaultNameOrPrefix(name: string, names: readonly string[]): boolean {
  return names.some((each) => name === each || name.startsWith(`${each}:`));
}
