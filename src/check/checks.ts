import { CHANGE_NAMES } from './faults/fault-table.ts';

export interface Check {
  id: string;
  /** Follows "Your integration". */
  title: string;
  /** The tests must pass under these faults. `kill` stands for all faults of that family. */
  faults: readonly string[];
  codes: readonly string[];
  needs: string;
  missing?: { why: string; next: string };
  advice: string;
}

const NOTHING = { faults: [], codes: [], needs: 'more traffic' };

/** In the order of reports. */
export const CHECKS = [
  {
    ...NOTHING,
    id: 'pays-once',
    title: 'pays once for each order',
    faults: ['lost_response', 'slow', 'twin'],
    codes: ['paid_twice', 'paid_again'],
    needs: 'a paid request',
    advice:
      'A paid request whose response was lost may have been processed. Compare credits of GET /v1/account from before the request and after it, and send it again only if nothing was charged. Find a song or clip by its own seed in its events, or later in GET /v1/webhooks/samples?event=TYPE.',
  },
  {
    ...NOTHING,
    id: 'refunds-failures',
    title: 'refunds each failed order once',
    faults: ['fails', 'take_fails', 'blocked'],
    needs: 'an order of a clip, a song or an image',
    advice:
      'Refund your customer when the job has failed, once per job: store the id of the refunded job in the same transaction.',
  },
  {
    ...NOTHING,
    id: 'stops-without-credits',
    title: 'stops when credits end',
    faults: ['empty_balance'],
    codes: ['retried_402'],
    needs: 'a paid request',
    advice: 'Stop after a 402 and report it to your caller. Continue only after credits were added.',
  },
  {
    ...NOTHING,
    id: 'honours-retry-after',
    title: 'waits as long as Retry-After says',
    faults: ['status:429', 'status:503'],
    codes: ['ignored_retry_after', 'polled_too_often'],
    needs: 'a request',
    advice:
      'Wait for Retry-After after a 429 or 503, and longer after each further one. Poll a job at most once a second.',
  },
  {
    ...NOTHING,
    id: 'rejects-forged-events',
    title: 'rejects forged and old events',
    faults: ['forged', 'replayed'],
    codes: ['accepted_forgery'],
    needs: 'a webhook endpoint of the app',
    advice:
      'Verify svc-signature over the raw body in constant time, before you parse it. Reject what is older than 300 s with 400.',
  },
  {
    ...NOTHING,
    id: 'handles-duplicates',
    title: 'handles each event once',
    faults: ['duplicate', 'twin', 'resent'],
    needs: 'a webhook endpoint of the app',
    advice:
      'Store the id of each event you handled under a unique key. Return 2xx for an event you know, and do nothing more.',
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
    advice:
      'Store the order before you send it. A lost response is not a refusal. Find a song or clip by its own seed in its events, or later in GET /v1/webhooks/samples?event=TYPE. For other requests, book what they cost, and throw an error whose cause is the error of the connection.',
  },
  {
    ...NOTHING,
    id: 'survives-restart',
    title: 'survives being killed',
    faults: ['kill'],
    needs: 'an app that --start runs',
    missing: { why: 'no app is started next to the tests', next: '--start COMMAND --only survives-restart' },
    advice: 'Keep the state of an order in a database, and continue open orders when the app starts.',
  },
  {
    ...NOTHING,
    id: 'verifies-files',
    title: 'delivers whole and correct files',
    faults: ['truncated', 'expired'],
    codes: ['used_expired_url'],
    needs: 'the download of a file',
    advice:
      'Before you deliver a file, compare its length with Content-Length. If its URL has expired, read the job or object again for a new one.',
  },
  {
    ...NOTHING,
    id: 'detects-cut-streams',
    title: 'does not mistake half a reply for a whole one',
    faults: ['cut'],
    needs: 'a streamed chat',
    advice:
      'A stream is complete only with [DONE]. Without it throw an error whose cause is the error of the connection, or send the request again.',
  },
  {
    ...NOTHING,
    id: 'matches-ledger',
    title: 'keeps books that agree with the ledger',
    needs: 'a paid request',
    missing: {
      why: 'nothing compared the books with the ledger',
      next: '--assert COMMAND --only matches-ledger',
    },
    advice:
      'Book usage.credits_spent of each response and each refund. Compare the sum with the balance of GET /v1/account.',
  },
  {
    ...NOTHING,
    id: 'spend-unchanged',
    title: 'costs the same as last time',
    missing: { why: 'no baseline contains the cost of the tests', next: '--only spend-unchanged --update-baseline' },
    advice: 'Look at the operations whose cost changed. If the change is intended, run again with --update-baseline.',
  },
  {
    ...NOTHING,
    id: 'tolerates-changes',
    title: 'accepts compatible changes',
    faults: [...CHANGE_NAMES, 'spelled', 'two_proofs', 'unknown_type'],
    advice:
      'Read the fields that you need and ignore the others: an added field, another order or an unknown event is allowed.',
  },
] as const satisfies readonly Check[];

export type CheckId = (typeof CHECKS)[number]['id'];
export const CHECK_IDS: readonly CheckId[] = CHECKS.map(({ id }) => id);

export function checkOf(id: CheckId): Check {
  return CHECKS.find((check) => check.id === id) ?? CHECKS[0];
}

/** Also accepts a name of a listed family: `kill:during` of `kill`. */
export function isListedName(name: string, names: readonly string[]): boolean {
  return names.some((each) => name === each || name.startsWith(`${each}:`));
}
