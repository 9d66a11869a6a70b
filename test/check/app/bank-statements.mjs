// Which statement of `svc-emulator check` each bug of the bank breaks, written by hand; two where it breaks both.
const BROKEN_BY = [
  [
    [1],
    'orders again after a lost answer',
    'sends again after a lost answer',
    'starts again after a lost answer',
    'uploads again after a lost answer',
    'a double click sends twice what was lost',
  ],
  [[1, 2], 'orders a failed clip again'],
  [[1, 8], 'orders again when it starts', 'a double click makes two orders'],
  [[1, 10], 'pays again for a reply without [DONE]', 'pays again for what was cut'],
  [
    [2],
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
  [[2, 7], 'the last event decides the order'],
  [[3], 'retries a 402'],
  [
    [4],
    'ignores Retry-After',
    'takes 503 as accepted',
    'takes 429 as final',
    'takes 429 as final and keeps the money',
    'takes 503 for an empty reply',
    'shows nothing when the balance cannot be read',
  ],
  [[4, 9], 'keeps an empty file of a 503'],
  [[5], 'no signature check', 'no age check', 'adopts a foreign job'],
  [
    [6],
    'counts events instead of takes',
    'prints for each delivery',
    'publishes twice',
    'de-duplicates by signature',
    'checks, awaits, acts',
    'answers 410 to what it knows already',
  ],
  [
    [7],
    'takes a lost answer as a failure and refunds',
    'takes a lost answer for a refusal',
    'takes a lost answer for a success',
    'throws away an event of a run that it does not know',
    'gives an order up whose answer was lost',
    'takes the 500 of a poll for a failed job',
    'takes a lost answer of a poll for a failed job',
    'gives up after three looks',
    'a poll gives up and refunds, and delivers later',
    'waits for webhooks alone',
    'works before it answers',
    'takes the clips as they end',
  ],
  [[7, 8], 'takes swapped', 'keeps work in memory after its 2xx', 'marks seen before the work is done'],
  [[9], 'keeps an expired URL', 'keeps what an error says as the file', 'keeps half a file'],
  [[10], 'takes a cut stream for a whole one', 'throws away what came of a cut reply'],
  [
    [11],
    'overdraws the user between check and debit',
    'shows the balance of the older of two answers',
    'counts its credits itself',
    'counts a message before it is taken',
    'does not look again after a lost answer',
    'does not look again after a cut',
  ],
  [[14], 'verifies re-serialised JSON', 'reads one v1 only', 'answers 500 to an unknown type'],
];

/** The statements that a bug breaks. */
export function statementsOf(bug) {
  const row = BROKEN_BY.find(([, ...bugs]) => bugs.includes(bug));
  if (!row) throw new Error(`No statement is given for "${bug}".`);
  return row[0];
}

/** How many findings are of the statement that their bug breaks; what only the check of the bank itself shows is of 11. */
export function statementCounts(rows) {
  const found = rows.filter(({ statement }) => statement !== undefined);
  const right = found.filter(({ bug, statement }) => statementsOf(bug).includes(statement));
  const byCheck = found.filter((row) => row.kind === 'check' && !right.includes(row));
  return `${right.length} of ${rows.length} have the statement of their bug, and ${byCheck.length} more are of 11, as the bank's check found them.`;
}
