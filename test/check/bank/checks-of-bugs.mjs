// Which check each bug of the bank fails, written by hand; two if it fails either. What only --assert can see fails
// matches-ledger, whatever the fault was.
const BROKEN_BY = [
  [
    ['pays-once'],
    'orders again after a lost response',
    'sends again after a lost response',
    'starts again after a lost response',
    'uploads again after a lost response',
    'a double click sends twice what was lost',
  ],
  [['pays-once', 'refunds-failures'], 'orders a failed clip again'],
  [['pays-once', 'survives-restart'], 'orders again when it starts', 'a double click makes two orders'],
  [['pays-once', 'detects-cut-streams'], 'pays again for a reply without [DONE]', 'pays again for what was cut'],
  [
    ['refunds-failures'],
    'refunds a failed take each time it is told',
    'one failed take refunds both',
    'ignores refunds of an order that was half delivered',
    'a failed job never refunds the user',
    'answers 410 to a failed take',
    'a failed picture is never given back',
    'answers 410 to a failed picture',
    'one failed clip ends the batch',
    'publishes what was rejected',
  ],
  [['refunds-failures', 'survives-lost-messages'], 'the last event decides the order'],
  [['stops-without-credits'], 'retries a 402'],
  [
    ['honours-retry-after'],
    'ignores Retry-After',
    'takes 503 as accepted',
    'takes 429 as final',
    'takes 429 as final and keeps the money',
    'takes 503 for an empty reply',
  ],
  [['honours-retry-after', 'verifies-files'], 'keeps an empty file of a 503'],
  [['rejects-forged-events'], 'no signature check', 'no age check'],
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
    'gives up after three looks',
    'a poll gives up and refunds, and delivers later',
    'waits for webhooks alone',
    'works before it answers',
    'takes the clips as they end',
  ],
  [['survives-lost-messages', 'survives-restart'], 'keeps work in memory after its 2xx'],
  [['honours-retry-after', 'matches-ledger'], 'shows nothing when the balance cannot be read'],
  [['survives-lost-messages', 'matches-ledger'], 'takes a lost response as a failure and refunds', 'takes swapped'],
  [['survives-lost-messages', 'survives-restart', 'matches-ledger'], 'marks seen before the work is done'],
  [['verifies-files'], 'keeps an expired URL', 'keeps what an error says as the file', 'keeps half a file'],
  [['detects-cut-streams'], 'takes a cut stream for a whole one', 'throws away what came of a cut reply'],
  [
    ['matches-ledger'],
    'overdraws the user between check and debit',
    'shows the balance of the older of two answers',
    'counts its credits itself',
    'counts a message before it is taken',
    'does not look again after a lost response',
    'does not look again after a cut',
  ],
  [['tolerates-changes'], 'verifies re-serialised JSON', 'reads one v1 only', 'answers 500 to an unknown type'],
];

/** The checks that a bug fails. */
export function checksOf(bug) {
  const row = BROKEN_BY.find(([, ...bugs]) => bugs.includes(bug));
  if (!row) throw new Error(`No check is given for "${bug}".`);
  return row[0];
}
