// The checks that each bug of the bank may fail, written by hand. The fault decides the check, even if only --assert notices
// the harm. A bug fails matches-ledger if --assert fails under faults that change nothing.
const BROKEN_BY = [
  [
    ['pays-once'],
    'orders again after a lost response',
    'sends again after a lost response',
    'starts again after a lost response',
    'uploads again after a lost response',
    'a double click sends twice what was lost',
    'sdk-retries',
    'tries-everything-again',
  ],
  [['pays-once', 'refunds-failures'], 'orders a failed clip again'],
  [['pays-once', 'survives-restart'], 'orders again when it starts', 'a double click makes two orders'],
  [['pays-once', 'detects-cut-streams'], 'pays again for a reply without [DONE]', 'pays again for what was cut'],
  [
    ['refunds-failures'],
    'one failed take refunds both',
    'ignores refunds of an order that was half delivered',
    'a failed job never refunds the user',
    'answers 410 to a failed take',
    'a failed picture is never given back',
    'answers 410 to a failed picture',
    'one failed clip ends the batch',
  ],
  // If the test itself makes the job fail, a duplicate of the event is enough to show the bug.
  [['refunds-failures', 'handles-duplicates'], 'refunds a failed take each time it is told', 'refunds-each-event'],
  [['refunds-failures', 'survives-lost-messages'], 'the last event decides the order'],
  [['stops-without-credits'], 'retries a 402'],
  [
    ['honours-retry-after'],
    'ignores Retry-After',
    'takes 503 as accepted',
    'takes 429 as final',
    'takes 429 as final and keeps the money',
    'takes 503 for an empty reply',
    'waits-its-own-time',
  ],
  [['honours-retry-after', 'verifies-files'], 'keeps an empty file of a 503'],
  [['rejects-forged-events'], 'no signature check', 'no age check', 'accepts-anything', 'accepts-old-events'],
  [['collects-results'], 'gives-up'],
  // A job that ends late shows these bugs as clearly as a lost read does: a clip is never collected, or is
  // kept as the other one.
  [['collects-results', 'survives-lost-messages'], 'gives up after three looks', 'takes the clips as they end'],
  [
    ['handles-duplicates'],
    'counts events instead of takes',
    'prints for each delivery',
    'publishes twice',
    'de-duplicates by signature',
    'checks, awaits, acts',
    'answers 410 to what it knows already',
  ],
  [
    ['survives-lost-messages'],
    'takes a lost response for a refusal',
    'takes a lost response for a success',
    'throws away an event of a run that it does not know',
    'gives an order up whose answer was lost',
    'takes the 500 of a poll for a failed job',
    'takes a lost response of a poll for a failed job',
    'a poll gives up and refunds, and delivers later',
    'waits for webhooks alone',
    'works before it answers',
    // This bug appears only if events change their order, or if one comes before the response to its start.
    'publishes what was rejected',
    'failed-read',
    'sweeps-untouched-only',
  ],
  [['survives-lost-messages', 'survives-restart'], 'keeps work in memory after its 2xx'],
  [['honours-retry-after', 'matches-ledger'], 'shows nothing when the balance cannot be read'],
  [['survives-lost-messages'], 'does not look again after a lost response'],
  [['detects-cut-streams'], 'does not look again after a cut'],
  [['survives-lost-messages', 'matches-ledger'], 'takes a lost response as a failure and refunds', 'takes swapped'],
  [['survives-lost-messages', 'survives-restart', 'matches-ledger'], 'marks seen before the work is done'],
  [
    ['verifies-files'],
    'saves-anything',
    'keeps-what-comes',
    'keeps an expired URL',
    'keeps what an error says as the file',
    'keeps half a file',
  ],
  [
    ['detects-cut-streams'],
    'pipes-directly',
    'takes a cut stream for a whole one',
    'throws away what came of a cut reply',
  ],
  [['matches-ledger'], 'overdraws the user between check and debit', 'shows the balance of the older of two answers'],
  // These book a credit for a request that was refused or lost, and only --assert notices.
  [['honours-retry-after', 'survives-lost-messages'], 'counts its credits itself'],
  [['stops-without-credits', 'survives-lost-messages'], 'counts a message before it is taken'],
  [['tolerates-changes'], 'verifies re-serialised JSON', 'reads one v1 only', 'answers 500 to an unknown type'],
];

export function checksOf(bug) {
  const row = BROKEN_BY.find(([, ...bugs]) => bugs.includes(bug));
  if (!row) throw new Error(`No check is given for "${bug}".`);
  return row[0];
}
