import { type CheckId, matchesFaultNameOrPrefix } from './checks.ts';
import type { Failure } from './faults/failed-check.ts';
import type { FaultAtSite, ScenarioFaults } from './faults/fault-at.ts';

/**
 * The advice for a failure is the `text` of the first row whose `faults`, `at` and `harm` match. An absent field always
 * matches. Most findings of the verdict have their own remedy instead.
 */
interface AdviceRow {
  faults?: readonly string[];
  at?: RegExp;
  harm?: Harm;
  text: string;
}

type Harm = 'paid again' | 'wrong books' | 'rejected event';

const LOST = ['lost_response', 'slow'];
const REFUSED = ['status:429', 'status:503'];
const [READ, SONG, EVENT, JOB] = [/^GET (?!\/cdn)/, /^POST \/v1\/music\//, /^delivery /, /^job /];
const [FILE, IMAGE] = [/^GET \/cdn /, /^GET \/cdn \(image\) /];

const ROWS: readonly AdviceRow[] = [
  {
    faults: ['swapped'],
    text: 'Responses may end in another order than their requests: check and change a balance of your own in one transaction. Take the balance of the service from GET /v1/account, not from the response that came last.',
  },
  {
    harm: 'wrong books',
    text: 'Book usage.credits_spent of each response and each refund. Compare the sum with the balance of GET /v1/account.',
  },
  {
    faults: LOST,
    at: READ,
    text: 'Read again after a lost response: a GET changes nothing and costs nothing.',
  },
  {
    faults: LOST,
    harm: 'paid again',
    text: "Turn off your client's retries of paid requests (maxRetries: 0 in openai and the AI SDK), and repeat only what 429 or 5xx refused. After a lost response, send it again only if no other work runs on the account and GET /v1/account shows that nothing was charged.",
  },
  {
    faults: ['slow'],
    text: 'Give every request a time limit that is shorter than that of the test. Treat a timeout as a lost response: the request may have been processed.',
  },
  {
    faults: ['lost_response'],
    at: SONG,
    text: 'A lost response is not a refusal: store the order with a seed of its own before you send it. Find the song by its seed in its event, or later in GET /v1/webhooks/samples?event=music.generation.succeeded.',
  },
  {
    faults: ['lost_response', 'kill'],
    at: /^POST \/v1\/webhooks /,
    text: 'The endpoint may exist with a secret that you never received. List the endpoints with GET /v1/webhooks, delete the unknown one, and create it again.',
  },
  {
    faults: ['lost_response'],
    text: 'A lost response is not a refusal: book what GET /v1/account shows was charged. Report the loss: throw an error whose cause is the error of the connection, or store the order as lost.',
  },
  {
    faults: ['lost_request'],
    text: 'Nothing was done or charged: book nothing. Report the loss: throw an error whose cause is the error of the connection, or store the order as lost.',
  },
  {
    faults: ['status:503'],
    at: FILE,
    text: 'Keep no body of an error as the file. Wait for Retry-After, and read the URL again, also in a test that reads it itself.',
  },
  {
    faults: REFUSED,
    text: 'Nothing was done or charged: book nothing. Wait as many seconds as Retry-After says, longer after each further refusal, and send the request again.',
  },
  {
    faults: ['status:500'],
    at: READ,
    text: 'A 500 of a read says nothing about the job or the order. Read again later.',
  },
  {
    faults: ['status:500'],
    text: 'Nothing was done or charged after a 500: book nothing. Send the request again, later each time, and then report the failure.',
  },
  {
    faults: ['empty_balance'],
    text: 'Nothing was done or charged after a 402: book nothing. Stop, report it to your caller, and continue only after credits were added.',
  },
  {
    faults: ['fails', 'take_fails', 'blocked'],
    harm: 'rejected event',
    text: 'Return 2xx for every genuine event, also for that of a failed job. Handle a failed job as an end of its order.',
  },
  {
    faults: ['take_fails'],
    text: 'Handle each take by the id of its job: refund the failed one once, and deliver the other.',
  },
  {
    faults: ['fails', 'blocked'],
    text: 'Refund your customer when the job has failed, once per job: store the id of the refunded job in the same transaction.',
  },
  {
    faults: ['forged'],
    text: 'Verify svc-signature over the raw body in constant time, before you parse it. Reject what does not match with 400.',
  },
  {
    faults: ['replayed'],
    text: 'Compare t of svc-signature with the clock. Reject what is older than 300 s with 400.',
  },
  { faults: ['spelled'], text: 'Verify svc-signature over the raw body, before a parser changes its bytes.' },
  { faults: ['two_proofs'], text: 'Accept an event if any v1 of svc-signature matches.' },
  {
    faults: ['unknown_type', 'unknown_event'],
    text: 'Return 2xx for an event of an unknown type, and do nothing more. If the app does this, the test counts events: let it count only those of types that the app knows.',
  },
  {
    faults: ['duplicate', 'twin', 'resent'],
    text: 'Store the id of each event you handled under a unique key. Return 2xx for an event you know, and do nothing more.',
  },
  {
    faults: ['lost', 'late', 'reorder'],
    at: EVENT,
    harm: 'rejected event',
    text: 'Return 2xx for every genuine event, whenever and in whatever order it arrives. Do nothing more if its order is final or unknown.',
  },
  {
    faults: ['lost'],
    text: 'An event may never arrive: read each open order from time to time with GET on its job, until it is final. If the app does this, the test counts events: let it look at the order instead.',
  },
  {
    faults: ['late', 'reorder'],
    at: EVENT,
    text: 'Events arrive late and in any order. Let the job decide, as an event shows it or GET returns it, never the order in which events arrive.',
  },
  {
    faults: ['late'],
    at: JOB,
    text: 'A job may take longer than usual. Poll until it is final, and refund no order that is still open.',
  },
  {
    faults: ['late_end'],
    text: 'A job may end long after others: read it with GET until it is final, again later if you stop waiting. Tell jobs apart by their ids, never by the order in which they end.',
  },
  {
    faults: ['instant'],
    text: 'An event may arrive before the response to its order. Store it by the id of its job, and apply it once the order is known.',
  },
  {
    faults: ['unpolled'],
    text: 'A read may show processing until the event was delivered. Take the event as the end, or read again later.',
  },
  {
    faults: ['kill'],
    harm: 'paid again',
    text: 'Before you send an order, store that it is sent, and the seed of a song: it may be charged even if the app ends. When the app starts, look for its result, and send it again only if no other work runs on the account and GET /v1/account shows that nothing was charged.',
  },
  {
    faults: ['kill'],
    text: 'Keep the state of an order in a database, and continue open orders when the app starts.',
  },
  {
    faults: ['expired'],
    at: IMAGE,
    text: 'The URL of an image is valid for seven days, and no request returns a new one. Keep the file itself (response_format: "b64_json"), or order with store: true, whose URL stays valid.',
  },
  {
    faults: ['expired'],
    text: 'The URL of a result is valid for seven days, and then returns an error instead of the file. Read the job again for a new URL, and download again.',
  },
  {
    faults: ['wrong_type'],
    text: 'Take the type of a file from what you ordered, or compare Content-Type with it. If it is another type, download again, also in a test that reads the URL itself.',
  },
  {
    faults: ['flipped'],
    text: 'Decode a PNG, or compare the checksums of its chunks, before you deliver it. If it is damaged, download again, also in a test that reads the URL itself.',
  },
  {
    faults: ['truncated'],
    text: 'Compare the number of received bytes with Content-Length before you deliver a file, and download again, also in a test that reads the URL itself.',
  },
  {
    faults: ['cut'],
    text: 'A stream is complete only with [DONE]: without it, keep what came and report an error to your caller. It stays charged, so read the balance with GET /v1/account, and do not send the request again by yourself.',
  },
  { faults: ['extra_field', 'key_order'], text: 'Read the fields that you need, in any order, and ignore the others.' },
  { faults: ['spelling', 'chunked'], text: 'Read the whole body, and parse it as JSON.' },
  { faults: ['headers'], text: 'Read headers without regard to case, and ignore those you do not know.' },
  {
    faults: ['stream_cut'],
    text: 'Join the bytes of a stream before you decode them. Split it at empty lines, and ignore comments.',
  },
  { faults: ['message'], text: 'Decide by the code of an error, never by its message.' },
  { faults: ['cdn_path'], text: 'Use a URL exactly as the API returned it, and build none yourself.' },
  { faults: ['one_more_poll'], text: 'Poll until the status is final, not a fixed number of times.' },
];

export function findAdviceForCause(cause: Cause): string | undefined {
  const { scenario, kind, remedy } = cause;
  const harm = harmOf(cause);
  // A finding of the verdict has its own remedy, which is better than a row, unless the client paid again.
  if (kind === 'verdict' && harm !== 'paid again') return remedy;
  const [first] = scenario.flatMap((entry) => rowFor(entry, harm) ?? []);
  return first?.text;
}

interface Cause extends Omit<Failure, 'message'> {
  scenario: ScenarioFaults;
  check: CheckId;
}

function harmOf({ check, kind, code = '' }: Cause): Harm | undefined {
  if (check === 'matches-ledger') return 'wrong books';
  if (check === 'pays-once' || code.startsWith('paid_')) return 'paid again';
  return kind === 'receiver' ? 'rejected event' : undefined;
}

function rowFor({ site, fault }: FaultAtSite, harm: Harm | undefined): AdviceRow | undefined {
  return ROWS.find(
    (row) =>
      (row.faults === undefined || matchesFaultNameOrPrefix(fault, row.faults)) &&
      (row.at === undefined || row.at.test(site)) &&
      (row.harm === undefined || row.harm === harm),
  );
}
