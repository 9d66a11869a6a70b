import { expect, it } from 'vitest';
import {
  addTestUnlessFaultsListed,
  type FailedTestExpectingSuccess,
  failsOnlyByExpectingSuccess,
  toTestExpectingSuccess,
} from '../../../src/check/faults/expected-success.ts';
import { hasUnavoidableLoss } from '../../../src/check/faults/judge.ts';
import {
  type DeliveryRow,
  failedTestsInOutput,
  type LedgerRow,
  type TestRow,
} from '../../../src/check/runner/run-record.ts';
import { qualifiedTestName } from '../../../src/engine/accounts/tests.ts';
import { BROKE, madeRequest, madeRun } from './made-run.ts';

function failedTest(name: string, accounts: string[]): TestRow {
  const place = {
    file: `${process.cwd()}/shop.test.ts`,
    line: 3,
    started: '',
    ended: '',
    exclusive: false,
    error: null,
  };
  return { ...place, name, account_ids: accounts, outcome: 'failed' } as unknown as TestRow;
}

const refund = (account: string, amount: number): LedgerRow => ({
  ...{ id: `le_${account}`, account_id: account, type: 'refund', amount, job_id: null },
});

const AT = { site: 'POST /v1/images/generations #1', fault: 'empty_balance' };

it.each([
  ['its own account', ['acct_1'], ['acct_2'], 'POST /v1/images returned 402; 4 credits came back'],
  ['the account that no test has', [], ['acct_1', 'acct_2'], 'POST /v1/chat returned 503; nothing was charged for it'],
])(
  'reports for a failed test that expects success what happened in %s, and nothing about other tests',
  (_, accounts, others, did) => {
    const [other, own] = [failedTest('sings', others), failedTest('draws', accounts)];
    const requests = [
      madeRequest({ path: '/v1/images', status: 402 }),
      madeRequest({ account_id: 'acct_0', path: '/v1/chat', status: 503 }),
      madeRequest({ account_id: 'acct_2', path: '/v1/none', status: 404 }),
    ];
    const ledger = [refund('acct_1', 4), refund('acct_2', 9)];
    const run = madeRun({ record: { tests: [other, own], requests, ledger }, failure: BROKE });
    const witness = { tests: [qualifiedTestName(own)], mask: (text: string) => text };
    const all: FailedTestExpectingSuccess[] = [];
    for (const faults of [[AT], [AT, { ...AT, fault: 'fails' }]]) {
      addTestUnlessFaultsListed(all, toTestExpectingSuccess(run, faults, witness));
    }
    expect(all).toEqual([{ scenario: [AT], test: 'draws (shop.test.ts:3)', did }]);
  },
);

const CHAT = 'POST /v1/chat/completions #1';
const EVENT = 'delivery music.generation.succeeded #1';
const SONG = 'POST /v1/music/generations #1';
const IMAGE = 'GET /cdn (image) #1';
const SAID = 'AssertionError: assert 502 == 201\n +  where 502 = <Response [502]>.status_code';

/** The error of `toHaveSpent`, or of `spending` in pytest if only credits are expected. */
function spending([credits, refunds]: [number, number?], [spent, refunded]: [number, number]): string {
  const expected = refunds === undefined ? `${credits} credits` : `${credits} credits spent and ${refunds} refunds`;
  return `Error: Expected ${expected}, got ${spent} credits spent and ${refunded} refund${refunded === 1 ? '' : 's'}:`;
}
const NO_EVENT =
  'svc_emulator.EmulatorError: delivery:music.generation.succeeded did not come within 9.99 s: no event.';

type Row = [what: string, error: string, fault?: string, site?: string];

function isExcused([, error, fault = 'lost_response', site = CHAT]: Row): boolean {
  const record = { failedTests: [{ name: 'writes', file: 'test/a.test.js', error }], requests: [madeRequest({})] };
  const run = madeRun({ record, failure: BROKE });
  const scenario = [{ site, fault }];
  return failsOnlyByExpectingSuccess(run, scenario, hasUnavoidableLoss(scenario, run.record));
}

it.each<Row>([
  ['the app throws the status that it returned', '502: The reply was lost.'],
  ['the app names the status that it returned', 'HTTP 503 from /chat'],
  ['the app shows an error, as Jest prints it', 'Expected substring: "Dear"\nReceived string: "No reply: an error"'],
  ['the app shows an error in place of a text, as pytest prints it', "assert 'Dear' in 'The reply was lost.'"],
  ['the app returns an error', "expected { error: 'no_response' } to match object { text: 'Dear' }"],
  [
    'another error came in place of the error that the test expects',
    'toMatchObject(expected)\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "error": StringContaining "render_failed",\n+   "error": "The story has no text.",\n  }',
    'cut:middle',
  ],
  ['a lost request cost nothing, as the matcher of the fixtures says', spending([3, 0], [0, 0]), 'lost_request'],
  ['a lost response ended the order before its second part was paid', spending([13, 0], [10, 0])],
  ['a lost response ended the order early, and the test expects credits only', spending([13], [10, 0])],
  ['one of two parts is lost', "expected [ 'failed', 'failed' ] to deeply equal [ 'failed', 'done' ]"],
  ['one of two fields is lost', "assert {'a': 'failed', 'b': 'failed'} == {'a': 'done', 'b': 'failed'}"],
  ['a refunded customer can pay for an order that should be refused', 'strictly equal:\n\n201 !== 402\n'],
  ['another part is lost in a text', "strictly equal:\n\n+ 'a lost, b cancelled'\n- 'a done, b failed'"],
  ['a refund begins, and a cost is smaller', "assert {'refunded': 5, 'cost': 15} == {'refunded': 0, 'cost': 20}"],
  ['no event came after a lost order', 'assert [] == [204, 204]'],
  ['a list is empty in an object', "assert {'f': [], 't': None} == {'f': ['a', 'b'], 't': 'Dear, sir'}"],
  ['another failure came', "assert 'The song was lost: no reply.' == 'The image was lost: no reply.'"],
  ['an object within an object is empty', '-   "r": {\n-     "t": "Dear\n- Sir",\n-   },\n+   "r": {},'],
  ['the URL of an image has expired', SAID, 'expired', IMAGE],
  ['a page says that an image is gone', "expected 'Picture: we threw it aw…' to be 'Here'", 'expired', IMAGE],
  ['a refund fills an empty purse', '-   "cents": 0,\n+   "cents": 5,', 'lost_response'],
  ['nothing came in place of a text', "strictly equal:\n+ actual - expected\n\n+ ''\n- 'Dear'"],
  ['nothing came, in the last term of pytest', "assert ('bread and butter' == 'bread and butter' and None == 'salt')"],
  ['the event of an order that was never placed did not come', `test_a.py:9: ${NO_EVENT}`, 'lost_request', SONG],
  ['nothing came, in a term of pytest without a comparison', "assert (200 == 200 and '')", 'cut:first'],
  ['nothing came, as Jest prints it', 'Error: expect(received).toBeTruthy()\n\nReceived: undefined'],
  ['the client throws the error of the cut connection', 'TypeError: terminated'],
  ['the connection of a Python client was reset', 'OSError: [Errno 104] Connection reset by peer'],
  ['another status came than the failure that the test expects', 'expected 502 to be 503'],
  ['a program ends with another exit code and says why', 'clip 1: the response was lost\n3 !== 2'],
  ['the test counts refunds of the matchers, and the credits are right', spending([0, 4], [0, 3]), 'status:503'],
  [
    'another state came in an object that Vitest shortens',
    'expected { id: 1, …(3) } to match object { state: …(1) }\n-   "state": "done",\n+   "state": "dropped",',
  ],
  ['a file is not there, and the test says no more', 'assert False\n +  where False = <x>', 'lost_response'],
  ['an item is missing', "expected [ 'a', …(1) ] to deeply equal [ 'a', …(2) ]\n-   \"b.mp3\",", 'lost_response'],
  ['a state is not one of the good ones', "assert 'lost' in ('delivered', 'done')"],
  ['unittest prints a message', 'AssertionError: 200 != 155 : balance'],
  ['a text in another language came', "expected 'Die Antwort blieb aus' to be 'Guten Tag'", 'lost_response'],
  ['a refund moves a number', '-   "balance": 193,\n-   "taken": 107,\n+   "balance": 195,\n+   "taken": 105,'],
  ['fewer files came', 'AssertionError: 2 !== 3', 'lost_response'],
  ['a list is shorter', "expected [ 'a', 'b' ] to have a length of 3 but got 2"],
  ['a message was not sent', 'expected "vi.fn()" to be called 1 times, but got 0 times'],
  ['one part less is done', 'toEqual(expected)\n\n-   "done": 6,\n-   "failed": 0,\n+   "done": 5,\n+   "failed": 1,'],
  ['a page names the loss', '- 2  picture  done\n- Balance: 35\n+ 2  picture  failed\n+ Balance: 40'],
  ['a sum of charges is smaller', 'AssertionError: the charges\n\n-30 !== -60'],
  ['a test waits for another state', "expected 'failed' to be 'sent'\nCaused by Matcher did not succeed in time."],
  ['a helper of the test throws', 'order 12 ended as failed instead of done', 'lost_response'],
  ['the test itself reads a missing value', 'Cannot read properties of null\nat a.test.js', 'lost_response'],
  ['the app refunded its customer, as pytest prints it', 'test_a.py:113: AssertionError: assert 14 == ((20 - 6) - 6)'],
  [
    'the app refunded its customer and says that the order failed',
    'toEqual(expected)\n\n-   "credits": 180,\n-   "status": "done",\n+   "credits": 200,\n+   "status": "failed",',
  ],
  ['a test looks at the answer to an event that is not sent', 'assert None == 204', 'lost', EVENT],
  ['nothing on record names a lost order', 'fetch failed', 'lost_response', 'POST /v1/videos/generations #1'],
  ['a request is lost before it is charged', SAID, 'lost_request', SONG],
  ['the app throws, as node:test says it', 'Thrown: the service did not answer'],
  ['the app throws words that resemble an error of the language', 'Thrown: Cannot read the reply'],
  ['the app throws another word of a parser', 'Thrown: Unexpected end of stream'],
  ['fetch lost its connection, in the words of Mocha', 'TypeError [Error]: fetch failed\nat app.js', 'lost_response'],
  ['a charge became smaller', '+   "charged": -30,\n-   "charged": -60,'],
  ['the app raises an exception of its own', 'test_a.py:9: service.NoResponse: no response'],
])('excuses a failed test that only expects success despite a fault: %s', (what, error, fault = 'cut:first', site) => {
  expect(isExcused([what, error, fault, site])).toBe(true);
});

it.each([
  ['openai', 'Request timed out.'],
  ['openai without a connection', 'Connection error.'],
  ['undici', 'Headers Timeout Error'],
  ['axios', 'timeout of 4000ms exceeded'],
  ['got', "Timeout awaiting 'request' for 4000ms"],
  ['fetch with a signal', 'This operation was aborted'],
  ['node-fetch', 'Invalid response body: Premature close'],
  ['urllib', 'TimeoutError: The read operation timed out'],
  ['requests', "ReadTimeout: HTTPConnectionPool(host='127.0.0.1', port=1): Read timed out. (read timeout=4)"],
  ['httpx', 'httpx.RemoteProtocolError: Server disconnected without sending a response.'],
])('excuses a test that fails with the error of a lost connection: %s', (_client, error) => {
  expect(isExcused(['', error, 'cut:first'])).toBe(true);
});

it.each<Row>([
  [
    'half a text came next to an error',
    'toMatchObject(expected)\n\n  Object {\n-   "error": null,\n-   "text": "look, you want",\n+   "error": "cut",\n+   "text": "look, you",\n  }',
    'cut:middle',
  ],
  ['more was spent after a lost response', spending([13], [16, 0])],
  ['less was spent after a lost response, because of a refund', spending([13, 0], [10, 1])],
  ['less was spent after a 503, which can be retried', spending([13, 0], [10, 0]), 'status:503'],
  ['a list within a list has a smaller number', "assert [['paid', 90], ['back', 60]] == [['paid', 90], ['back', 90]]"],
  ['a difference is twice as large', 'AssertionError: -12 !== -6'],
  ['a small balance is smaller', '+   "balance": 3,\n-   "balance": 9,'],
  ['a number is wrong', 'AssertionError: expected 990 to be 1000 // Object.is equality'],
  ['the URL of a song has expired', SAID, 'expired', 'GET /cdn #1'],
  ['an error is kept as an image', "expected 'text/html; charset=utf-8' to be 'image/png'", 'expired', IMAGE],
  ['half a text came, in the last term of pytest', "assert (502 == 502 and 'Dear' == 'Dear and Sir')", 'cut:middle'],
  ['the event of an order that was placed did not come', NO_EVENT, 'lost_response', SONG],
  ['a flag is false', 'AssertionError: expected false to be truthy', 'cut:first'],
  [
    'half a text came, and nothing in another field',
    "deep-equal:\n+ actual - expected\n\n  {\n+   credits: null,\n+   text: 'look, you'\n-   credits: 999,\n-   text: 'look, you want'\n  }",
    'cut:middle',
  ],
  ['the app shows success in place of a failure', 'expected 200 to be 502 // Object.is equality'],
  ['credits differ that look like statuses', 'AssertionError: expected 500 to be 510'],
  ['a customer has fewer credits, as pytest prints it', 'AssertionError: assert 8 == (20 - 6)'],
  ['a customer has more credits after a 503, which can be retried', 'expected 20 to be 14', 'status:503'],
  ['a number is wrong, and nothing says why', 'Expected values to be strictly equal:\n\n3 !== 0\n'],
  ['the credits of the matchers are wrong', spending([0, 4], [4, 3]), 'status:503'],
  [
    'another state and another number came in an object that Vitest shortens',
    'expected { id: 1, …(3) } to match object { state: …(1) }\n-   "coins": 75,\n+   "coins": 70,\n-   "state": "done",\n+   "state": "lost",',
  ],
  ['a stream is cut, and the test says no more', 'AssertionError: expected false to be true', 'cut:middle'],
  ['an order is not known without its event', "AssertionError: assert None == 'sung'", 'lost', EVENT],
  ['another text came', "AssertionError: expected 'Sir' to be 'Dear'", 'cut:middle'],
  ['another text came in a list', "expected [ 'lost', 'Sir' ] to deeply equal [ 'lost', 'Dear' ]", 'cut:middle'],
  ['the app breaks in Python', "shop.py:9: KeyError: 'choices'"],
  ['the app breaks, and the fixtures print only the message', 'Invalid array length\nat app.js', 'lost_response'],
  ['the app takes a cut response for the whole', 'Thrown: Unterminated string in JSON at position 41'],
  ['the app charges its customer twice', '+   "charged": -60,\n-   "charged": -30,', 'lost_response'],
  ['the balance of a customer is gone', '+   "balance": 0,\n-   "balance": 20,', 'lost_response'],
  ['half a text came, with a word of a report', "expected 'Connection' to be 'Connections'", 'cut:middle'],
  ['an order succeeds that should fail, in the words of Jest', 'Received promise resolved instead of rejected'],
  ['an order succeeds that should fail, in the words of unittest', 'AssertionError: NoCredits not raised'],
  ['a condition of Vitest is never true', 'Timed out in waitUntil!', 'lost_response'],
  ['pytest-timeout ended the test', 'test_a.py:9: Failed: Timeout (>5.0s) from pytest-timeout.', 'lost_response'],
  ['the app breaks, as node:test says it', 'Thrown: Cannot read properties of null'],
  ['the app breaks in its own file', "TypeError: Cannot read properties of null (reading 'text')\nat app.js"],
  ['the app rejects with an error of the language', 'promise rejected "TypeError: Cannot re…" instead of resolving'],
  ['an order succeeds that should fail', 'promise resolved "{ state: \'done\' }" instead of rejecting'],
  ['a list is longer', "expected [ 'a', 'b' ] to have a length of 1 but got 2"],
  ['half a text of several lines came', '-   "t": "Roses are\n- red.",\n+   "t": "Roses are",', 'cut:middle'],
  ['an order is lost that its events name', SAID, 'lost_response', SONG],
  ['half a text is taken for the whole', "AssertionError: expected 'Dear' to be 'Dear Sir'", 'cut:middle'],
  ['something costs 1.502 in place of 201', 'AssertionError: 1.502 !== 201'],
  ['the time limit of Vitest ended the test', 'Thrown: Test timed out in 5000ms.'],
  ['an order stays open', "expected 'processing' to be 'done'\nCaused by Matcher did not succeed in time."],
  ['the time limit of Jest ended the test', 'Exceeded timeout of 5000 ms for a test.'],
  ['the time limit of Mocha ended the test', 'Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure'],
  ['the time limit of Playwright ended the test', 'Test timeout of 30000ms exceeded.'],
])('decides that a test fails for another reason than that it expects success despite a fault: %s', (...row) => {
  expect(isExcused(row)).toBe(false);
});

it.each([
  ...[402, 404, 409, 424, 429, 500, 501, 502, 503, 504].map((status) => [status, true] as const),
  ...[400, 401, 403, 410, 422].map((status) => [status, false] as const),
])('decides whether an app may report a lost response with status %i: %s', (status, expected) => {
  expect(isExcused(['', `AssertionError: expected ${status} to be 201 // Object.is equality`])).toBe(expected);
});

const BY_PYTEST = (first: string, explained: string) => `
__________ test_sells __________

>       assert client.get(url).status_code == 200
E       ${first}
E         
E        +  where ${explained}

test_shop.py:20: AssertionError
FAILED test_shop.py::test_sells - ${first}
1 failed in 0.61s`;

const DIFFERENCES = `
  {
-   "balance": 380,
-   "status": "done",
+   "balance": 470,
+   "status": "partial",
  }
`;
const BY_VITEST = ` FAIL  shop.test.ts > sells
AssertionError: expected { id: 1, status: 'partial', …(2) } to match object { status: 'done', balance: 380 }
(5 matching properties omitted from actual)

- Expected
+ Received
${DIFFERENCES}
 ❯ shop.test.ts:11:16`;
const BY_JEST = `  ● sells

    expect(received).toMatchObject(expected)

- Expected  - 2
+ Received  + 2
${DIFFERENCES}
    > 1 | expect(order).toMatchObject(sold);`;

/** The output of pytest for an assertion with shortened values, and the lines below it. */
const below = (shortened: string, ...lines: string[]) =>
  BY_PYTEST(`AssertionError: assert ${shortened}`, ['{} = seen()', ...lines].join('\nE         '));
const SHORTENED = "{'speech': 'f...ake2': 'done'} == {'speech': 'd...ake2': 'done'}";

it.each([
  [true, 'the values that Jest prints below the matcher', BY_JEST],
  [false, 'the values that Jest prints below the matcher', BY_JEST.replace('470', '370')],
  [true, 'the shorter list of pytest', BY_PYTEST('assert 1 == 2', "1 = len(['a'])")],
  [false, 'the longer list of pytest', BY_PYTEST('assert 2 == 1', "2 = len(['a', 'a'])")],
  [
    false,
    'the file that raised an error',
    BY_PYTEST("KeyError: 'choices'", 'x').replace('shop.py:20: A', 'app.py:20: K'),
  ],
  [
    false,
    'the file that raised an error, in short tracebacks',
    "___ test_sells ___\ntest_shop.py:20: in test_sells\napp.py:9: in sell\nE   KeyError: 'choices'\n=== short test summary info ===",
  ],
  [true, 'the items that differ', below(SHORTENED, 'Differing items:', "{'speech': 'failed'} != {'speech': 'done'}")],
  [false, 'the items that differ', below(SHORTENED, "{'c': 16} != {'c': 19}", "{'a': 'lost'} != {'a': 'done'}")],
  [true, 'the first item that differs', below("['f...] == ['d...]", "At index 0 diff: 'failed' != 'done'")],
  [true, 'a whole difference', below(SHORTENED, 'Full diff:', "-   'speech': 'done',", "+   'speech': 'failed',")],
  [false, 'no error', 'The end.'],
  [true, 'the values below an object that Vitest shortens', BY_VITEST],
  [false, 'the values below an object that Vitest shortens', BY_VITEST.replace('470', '370')],
  [true, 'the line of node:assert', 'AssertionError: 504 !== 200'],
  [true, 'the first line of pytest', BY_PYTEST('assert 409 == 200', '409 = <Response [409 Conflict]>.status_code')],
  [true, 'the first line of pytest with a message', BY_PYTEST("AssertionError: assert 'error' == 'done'", '+ error')],
  [false, 'an explanation of pytest', BY_PYTEST('assert 11 == 12', "11 = sum([503, 'error'])")],
])('decides by its assertion whether a test without fixtures expects success (%s): %s', (expected, _, output) => {
  const scenario = [{ site: CHAT, fault: 'lost_response' }];
  const record = { failedTests: failedTestsInOutput(output) };
  expect(failsOnlyByExpectingSuccess(madeRun({ record, failure: BROKE, output }), scenario, true)).toBe(expected);
});

it.each([
  [12, 'failed', false],
  [3, 'failed', true],
  [12, 'processing', true],
])(
  'decides by %i reads of a failed job that show it as %s whether the test expects success',
  (count, status, isSpared) => {
    const requests = Array.from({ length: count }, (_each, n) =>
      madeRequest({
        ...{ method: 'GET', path: '/v1/videos/generations/vg_1', received_at: new Date(n * 400).toISOString() },
        answer: JSON.stringify({ id: 'vg_1', status }),
      }),
    );
    const record = { requests, jobs: [{ id: 'vg_1', status: 'failed' as const }] };
    const run = madeRun({ record, failure: BROKE, output: 'Error: Timeout of 2000ms exceeded.' });
    expect(failsOnlyByExpectingSuccess(run, [{ site: 'job video #1', fault: 'fails' }], false)).toBe(isSpared);
  },
);

it.each([
  [true, 'succeeds when it is ordered again', ['failed', 'succeeded']],
  [false, 'is never ordered again', ['failed']],
  [false, 'failed only later', ['succeeded', 'failed']],
] as const)(
  'decides whether to excuse a test that expects a failed job and sees a success (%s), if the job whose response was lost %s',
  (isSpared, _, statuses) => {
    const error =
      'toEqual(expected)\n\n-   "credits": 200,\n-   "status": "failed",\n+   "credits": 110,\n+   "status": "done",';
    const requests = statuses.map((_status, n) =>
      madeRequest({ path: '/v1/videos/generations', job_ids: [`vg_${n}`], received_at: new Date(n).toISOString() }),
    );
    const jobs = statuses.map((status, n) => ({ id: `vg_${n}`, status }));
    const run = madeRun({ record: { failedTests: [{ name: 'films', error }], requests, jobs }, failure: BROKE });
    const scenario = [{ site: 'POST /v1/videos/generations #1', fault: 'lost_response' }];
    expect(failsOnlyByExpectingSuccess(run, scenario, true)).toBe(isSpared);
  },
);

it.each([
  [true, 'of this type', 'music.generation.succeeded'],
  [false, 'of another type', 'music.generation.failed'],
])(
  'decides whether a test that waits for an event expects success (%s), if the lost event is %s',
  (isSpared, _, type) => {
    const deliveries = [{ id: 'dlv_1', type, subject: 'mg_1', fault: 'drop' }] as unknown as DeliveryRow[];
    const failedTests = [{ name: 'sings', error: NO_EVENT }];
    const run = madeRun({ record: { failedTests, deliveries }, failure: BROKE });
    expect(failsOnlyByExpectingSuccess(run, [{ site: EVENT, fault: 'lost' }], false)).toBe(isSpared);
  },
);

it.each([
  [true, 'the file of the test', 'lost_response', 'test_shop.py', "KeyError: 'text'"],
  [false, 'a file of the app', 'lost_response', 'shop.py', "KeyError: 'text'"],
  [false, 'the file of the test', 'cut:middle', 'test_shop.py', "KeyError: 'text'"],
])('decides whether to excuse a test (%s) if %s raises an error under the fault %s', (...row) => {
  const [isSpared, , fault, raisedIn, error] = row;
  const failedTests = [{ name: 'tells', file: 'tests/test_shop.py', error: `${raisedIn}:112: ${error}` }];
  const run = madeRun({ record: { failedTests }, failure: BROKE });
  expect(failsOnlyByExpectingSuccess(run, [{ site: CHAT, fault }], true)).toBe(isSpared);
});
