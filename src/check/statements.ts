/** What one of the fifteen statements is known by. */
export interface StatementRow {
  id: number;
  /** Follows "Your integration". */
  text: string;
  /** Deviations by name whose runs are evidence; `kill` is all of that family. */
  deviations: readonly string[];
  /** Lies whose notice is evidence; `hook` is all of that family. */
  lies: readonly string[];
  /** Codes of the verdict that break it. */
  codes: readonly string[];
  /** What a command needs before any of it comes up, in words. */
  needs: string;
  /** How it is mended, in a sentence or two. */
  mend: string;
}

function row(
  id: number,
  text: string,
  { deviations = [], lies = [], codes = [], needs = '', mend = '' }: Partial<Omit<StatementRow, 'id' | 'text'>>,
): StatementRow {
  return { id, text, deviations, lies, codes, needs, mend };
}

/** In their order; `needs` names what the tests have to do before there is anything to try. */
export const STATEMENTS: readonly StatementRow[] = [
  row(1, 'never pays twice for one order', {
    deviations: ['lost_answer', 'slow', 'twin'],
    codes: ['paid_twice', 'paid_again'],
    needs: 'a paid request',
    mend: 'A paid request whose answer was lost may have been done: send it again only where it was not. An order with a seed of your own is known by that seed in its events, also in GET /v1/webhooks/samples. Answer your own caller once.',
  }),
  row(2, 'gives back what failed, once', {
    deviations: ['fails', 'take_fails', 'blocked'],
    lies: ['refund'],
    needs: 'an order of a clip, a song or an image',
    mend: 'Refund your customer when the job is failed, once per job: keep the id of what you gave back in the same transaction.',
  }),
  row(3, 'stops when credits end', {
    deviations: ['empty_balance'],
    codes: ['retried_402'],
    needs: 'a paid request',
    mend: 'After a 402 stop asking, and say so to your caller; go on when credits were added.',
  }),
  row(4, 'waits when told to', {
    deviations: ['status:429', 'status:503'],
    codes: ['ignored_retry_after', 'polled_too_often'],
    needs: 'a request',
    mend: 'Wait for Retry-After after 429 and 503, and longer after each further one; poll a job no more than once a second.',
  }),
  row(5, 'believes no forgery', {
    deviations: ['forged', 'replayed', 'foreign'],
    lies: ['hook'],
    codes: ['accepted_forgery'],
    needs: 'a webhook endpoint of the app',
    mend: 'Verify svc-signature over the raw body in constant time and refuse what is older than 300 s with 400, before you parse it.',
  }),
  row(6, 'does each event once', {
    deviations: ['duplicate', 'twin', 'resent'],
    needs: 'a webhook endpoint of the app',
    mend: 'Keep the id of each event you handled under a unique key; answer 2xx to one you know, and do nothing more.',
  }),
  row(7, 'loses no order when answers or events are lost', {
    deviations: [
      'lost_answer',
      'lost_request',
      'slow',
      'status:500',
      'swapped',
      'lost',
      'late',
      'reorder',
      'instant',
      'unpolled',
    ],
    codes: ['lost_event', 'slow_receiver'],
    needs: 'a request',
    mend: 'Write the order down before you send it, with a seed of your own: what became of it is seen by that seed in its events, also later in GET /v1/webhooks/samples.',
  }),
  row(8, 'survives its own death', {
    deviations: ['kill'],
    needs: 'an app that --start runs',
    mend: 'Keep the state of an order in a database, and go on with what is open when the app starts.',
  }),
  row(9, 'hands out whole and right files', {
    deviations: ['truncated', 'expired'],
    lies: ['file'],
    codes: ['used_expired_url'],
    needs: 'the download of a file',
    mend: 'Compare the length with Content-Length, and ask for the URL anew where it has expired, before you hand a file out.',
  }),
  row(10, 'takes no half answer for a whole one', {
    deviations: ['cut'],
    lies: ['stream', 'chat.cut_as_stop'],
    needs: 'a streamed chat',
    mend: 'A stream is complete with [DONE] alone: without it show an error, or ask again.',
  }),
  row(11, 'keeps its books as the ledger does', {
    lies: ['spent', 'charge'],
    needs: 'a paid request',
    mend: 'Book usage.credits_spent of each answer and each refund; compare the sum with the balance of GET /v1/account.',
  }),
  row(12, 'spends what it spent last time', {
    mend: 'Look at the operations whose price changed; where it is meant, write it down with --update-baseline.',
  }),
  row(13, 'has tests that notice when the service breaks a promise', {
    mend: 'Add the assertion to the test that is named, then run the lie again by its token.',
  }),
  row(14, 'tolerates harmless change', {
    deviations: ['spelled', 'two_proofs', 'unknown_type'],
    mend: 'Read the fields that you need and ignore the others: an added field, another order or an unknown event is allowed.',
  }),
  row(15, 'was compared with the real service on a day', {
    mend: 'Read the rule or the choice that is named: the service differs from its specification, or the emulator does.',
  }),
];

/** Whether a name is one of those, or of the family of one: `kill:during` of `kill`, `refund.none` of `refund`. */
export function isAmong(name: string, names: readonly string[]): boolean {
  return names.some((each) => name === each || name.startsWith(`${each}:`) || name.startsWith(`${each}.`));
}

/** The statement by its number. */
export function statementRow(id: number): StatementRow | undefined {
  return STATEMENTS.find((each) => each.id === id);
}
