import { expect, it } from 'vitest';
import {
  addTestUnlessFaultsListed,
  type FailedTestExpectingSuccess,
  failsOnlyByExpectingSuccess,
  findTestExpectingSuccess,
} from '../../../src/check/faults/expected-success.ts';
import { hasUnavoidableLoss } from '../../../src/check/faults/judge.ts';
import type { DeliveryRow, LedgerRow, TestRow } from '../../../src/check/runner/run-record.ts';
import { testKey } from '../../../src/engine/accounts/tests.ts';
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
    const witness = { tests: [testKey(own)], isLost: true, mask: (text: string) => text };
    const all: FailedTestExpectingSuccess[] = [];
    for (const faults of [[AT], [AT, { ...AT, fault: 'fails' }]]) {
      const expected = findTestExpectingSuccess(run, faults, witness);
      if (expected) addTestUnlessFaultsListed(all, expected);
    }
    expect(all).toEqual([{ scenario: [AT], test: 'draws (shop.test.ts:3)', did }]);
  },
);

const CHAT = 'POST /v1/chat/completions #1';
const EVENT = 'delivery music.generation.succeeded #1';
const SAID = 'AssertionError: assert 502 == 201\n +  where 502 = <Response [502]>.status_code';

it.each([
  [true, 'an answer that no job is behind is lost, and the app says so', CHAT, 'lost_response', SAID],
  [true, 'a stream is cut, and the app says so', CHAT, 'cut:middle', 'Error: expected 503 to be 200'],
  [true, 'the app throws the status that it returned', CHAT, 'lost_response', '502: The reply was lost.'],
  [true, 'the app names the status that it returned', CHAT, 'lost_response', 'HTTP 503 from /chat'],
  [true, 'the app returns 500', CHAT, 'lost_response', '500: Internal Server Error'],
  [
    true,
    'the app does not know the order',
    CHAT,
    'slow',
    'AssertionError: expected 404 to be 200 // Object.is equality',
  ],
  [
    true,
    'the app shows an error in place of a text',
    CHAT,
    'lost_response',
    "AssertionError: expected 'Sorry, the reply was lost.' to contain 'Dear'",
  ],
  [
    true,
    'the app shows an error in place of a text, as Jest prints it',
    CHAT,
    'slow',
    'Expected substring: "Dear"\nReceived string: "No reply came: an error"',
  ],
  [
    true,
    'the app shows an error in place of a text, as pytest prints it',
    CHAT,
    'slow',
    "AssertionError: assert 'Dear' in 'The reply was lost.'",
  ],
  [
    true,
    'the app shows an error in place of a text, as unittest prints it',
    CHAT,
    'slow',
    "AssertionError: 'It failed' != 'Dear'",
  ],
  [
    true,
    'the app returns an error in place of an object',
    CHAT,
    'lost_response',
    "AssertionError: expected { error: 'no_response' } to match object { text: 'Dear' }",
  ],
  [
    true,
    'another error came in place of the error that the test expects',
    CHAT,
    'cut:middle',
    'toMatchObject(expected)\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "error": StringContaining "render_failed",\n+   "error": "The story has no text.",\n  }',
  ],
  [
    false,
    'half a text came next to an error',
    CHAT,
    'cut:middle',
    'toMatchObject(expected)\n\n  Object {\n-   "error": null,\n-   "text": "look, you want",\n+   "error": "cut",\n+   "text": "look, you",\n  }',
  ],
  [
    true,
    'a lost request cost nothing, as the matcher of the fixtures says',
    CHAT,
    'lost_request',
    'Error: Expected 3 credits spent and 0 refunds, got 0 credits spent and 0 refunds: no money moved',
  ],
  [
    true,
    'a lost response ended the order before its second part was paid',
    CHAT,
    'lost_response',
    'Error: Expected 13 credits spent and 0 refunds, got 10 credits spent and 0 refunds:\n  charge -10',
  ],
  [
    true,
    'a lost response ended the order early, as the pytest plugin says',
    CHAT,
    'lost_response',
    'test_studio.py:57: AssertionError: Expected 13 credits and 0 refunds, got 10 credits spent and 0 refunds:',
  ],
  [
    true,
    'a lost response ended the order early, and the test expects credits only',
    CHAT,
    'lost_response',
    'test_studio.py:57: AssertionError: Expected 13 credits, got 10 credits spent and 0 refunds:',
  ],
  [
    false,
    'more was spent after a lost response',
    CHAT,
    'lost_response',
    'test_studio.py:57: AssertionError: Expected 13 credits, got 16 credits spent and 0 refunds:',
  ],
  [
    false,
    'less was spent after a lost response, because of a refund',
    CHAT,
    'lost_response',
    'Error: Expected 13 credits spent and 0 refunds, got 10 credits spent and 1 refund:',
  ],
  [
    false,
    'less was spent after a 503, which can be retried',
    CHAT,
    'status:503',
    'Error: Expected 13 credits spent and 0 refunds, got 10 credits spent and 0 refunds:\n  charge -10',
  ],
  [true, 'a list is empty', CHAT, 'lost_response', "AssertionError: expected [] to deeply equal [ 'Dear' ]"],
  [false, 'a number is wrong', CHAT, 'lost_response', 'AssertionError: expected 990 to be 1000 // Object.is equality'],
  [true, 'the URL of an image has expired', 'GET /cdn (image) #1', 'expired', SAID],
  [false, 'the URL of a song has expired', 'GET /cdn #1', 'expired', SAID],
  [true, 'nothing came in place of a text', CHAT, 'slow', "strictly equal:\n+ actual - expected\n\n+ ''\n- 'Dear'"],
  [true, 'nothing came, as pytest says it', CHAT, 'lost_request', "AssertionError: assert None == 'Dear'"],
  [
    true,
    'nothing came, in the last of several terms of pytest',
    CHAT,
    'slow',
    "AssertionError: assert ('bread and butter' == 'bread and butter' and None == 'salt and pepper')",
  ],
  [
    true,
    'the app shows an error, in the last of several terms of pytest',
    CHAT,
    'cut:middle',
    "AssertionError: assert (200 == 200 and 'Dear' and 'error' == 'done'\n  \n  - done\n  + error)",
  ],
  [
    false,
    'half a text is taken for the whole, in the last of several terms of pytest',
    CHAT,
    'cut:middle',
    "AssertionError: assert (502 == 502 and 'Dear' == 'Dear and Sir')",
  ],
  [
    true,
    'the event of an order that was never placed did not come',
    'POST /v1/music/generations #1',
    'lost_request',
    'test_a.py:9: svc_emulator.EmulatorError: delivery:music.generation.succeeded did not come within 9.99 s: no event.',
  ],
  [
    false,
    'the event of an order that was placed did not come',
    'POST /v1/music/generations #1',
    'slow',
    'EmulatorError: delivery:music.generation.succeeded did not come within 9.99 s: no event.',
  ],
  [true, 'nothing came, in a term of pytest without a comparison', CHAT, 'cut:first', "assert (200 == 200 and '')"],
  [true, 'nothing came in place of any text', CHAT, 'cut:first', "AssertionError: expected '' to be truthy"],
  [
    true,
    'nothing came in place of any text, as Jest prints it',
    CHAT,
    'slow',
    'Error: expect(received).toBeTruthy()\n\nReceived: undefined',
  ],
  [false, 'a flag is false', CHAT, 'cut:first', 'AssertionError: expected false to be truthy'],
  [true, 'the client throws the error of the cut connection', CHAT, 'cut:first', 'TypeError: terminated'],
  [
    true,
    'the connection of a Python client was reset',
    CHAT,
    'lost_response',
    'OSError: [Errno 104] Connection reset by peer',
  ],
  [true, 'another status came than the failure that the test expects', CHAT, 'slow', 'expected 502 to be 503'],
  [
    true,
    'a failing status and another state came in an object',
    CHAT,
    'lost_response',
    'expected { …(4) } to match object { status: 200, last: \'done\' }\n-   "last": "done",\n-   "status": 200,\n+   "last": "error",\n+   "status": 502,',
  ],
  [
    false,
    'half a text came, and nothing in another field',
    CHAT,
    'cut:middle',
    "deep-equal:\n+ actual - expected\n\n  {\n+   credits: null,\n+   text: 'look, you'\n-   credits: 999,\n-   text: 'look, you want'\n  }",
  ],
  [true, 'one of two statuses is a failure', CHAT, 'slow', 'expected [ 502, 202 ] to deeply equal [ 202, 202 ]'],
  [false, 'the app shows success in place of a failure', CHAT, 'slow', 'expected 200 to be 502 // Object.is equality'],
  [false, 'credits differ that look like statuses', CHAT, 'slow', 'AssertionError: expected 500 to be 510'],
  [
    true,
    'another state came in an object with a status',
    CHAT,
    'cut:middle',
    'expected { …(4) } to match object { status: 200, last: \'done\' }\n-   "last": "done",\n+   "last": "error",',
  ],
  [true, 'a program ends with another exit code and says why', CHAT, 'slow', 'clip 1: the response was lost\n3 !== 2'],
  [true, 'a program ends with an exit code and says why', CHAT, 'slow', 'clip 1 is lost: fetch failed\n3 !== 0'],
  [
    false,
    'a number is wrong, and nothing says why',
    CHAT,
    'slow',
    'Expected values to be strictly equal:\n\n3 !== 0\n',
  ],
  [
    true,
    'the test counts refunds of the matchers, and the credits are right',
    CHAT,
    'status:503',
    'Expected 0 credits spent and 4 refunds, got 0 credits spent and 3 refunds:\n  charge -4',
  ],
  [
    false,
    'the credits of the matchers are wrong',
    CHAT,
    'status:503',
    'Expected 0 credits spent and 4 refunds, got 4 credits spent and 3 refunds:\n  charge -4',
  ],
  [true, 'another state came', CHAT, 'lost_response', "AssertionError: expected 'lost' to be 'refused' // Object.is"],
  [
    true,
    'another state came in an object that Vitest shortens',
    CHAT,
    'slow',
    'expected { id: 1, …(3) } to match object { state: …(1) }\n-   "state": "done",\n+   "state": "dropped",',
  ],
  [
    true,
    'another state came in an object, as Jest says it',
    CHAT,
    'slow',
    '- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "state": "done",\n+   "state": "dropped",\n  }',
  ],
  [
    true,
    'another state and another reason came in an object that Vitest shortens',
    CHAT,
    'slow',
    'expected { id: 1, …(3) } to match object { state: …(1) }\n-       "reason": "moderated",\n+       "reason": "no answer from the service",\n-   "state": "failed",\n+   "state": "lost",',
  ],
  [
    false,
    'another state and another number came in an object that Vitest shortens',
    CHAT,
    'slow',
    'expected { id: 1, …(3) } to match object { state: …(1) }\n-   "coins": 75,\n+   "coins": 70,\n-   "state": "done",\n+   "state": "lost",',
  ],
  [
    false,
    'another number came in an object that Vitest shortens',
    CHAT,
    'slow',
    'expected { id: 1, …(3) } to match object { coins: …(1) }\n-   "coins": 75,\n+   "coins": 70,',
  ],
  [true, 'another state came, as Jest says it', CHAT, 'slow', 'Expected: "whole"\nReceived: "lost"'],
  [
    true,
    'a file is not there, and the test says no more',
    CHAT,
    'lost_response',
    'assert False\n +  where False = <x>',
  ],
  [
    false,
    'a stream is cut, and the test says no more',
    CHAT,
    'cut:middle',
    'AssertionError: expected false to be true',
  ],
  [true, 'a test looks at the answer to an event that is not sent', EVENT, 'lost', 'assert None == 204'],
  [
    true,
    'a Vitest test looks at the answer to an event that is not sent',
    EVENT,
    'lost',
    'AssertionError: expected null to be 204 // Object.is equality',
  ],
  [false, 'an order is not known without its event', EVENT, 'lost', "AssertionError: assert None == 'sung'"],
  [false, 'another text came', CHAT, 'lost_response', "AssertionError: expected 'Sir' to be 'Dear'"],
  [
    true,
    'an order is lost that nothing on record names, and the client throws',
    'POST /v1/videos/generations #1',
    'lost_response',
    'fetch failed',
  ],
  [true, 'a request is lost before it is charged', 'POST /v1/music/generations #1', 'lost_request', SAID],
  [true, 'the app throws, as node:test says it', CHAT, 'lost_response', 'Thrown: the service did not answer'],
  [false, 'the app throws, and its test waits too long', CHAT, 'lost_response', 'Thrown: Test timed out in 5000ms.'],
  [true, 'the app raises an exception of its own', CHAT, 'slow', 'test_a.py:9: service.NoResponse: no response'],
  [
    true,
    'the app raises an error that a time limit caused',
    CHAT,
    'slow',
    'test_a.py:9: Exception: no reply\nCaused by TimeoutError: timed out',
  ],
  [false, 'the app breaks in Python', CHAT, 'slow', "test_a.py:9: KeyError: 'choices'"],
  [false, 'the app breaks, as node:test says it', CHAT, 'lost_response', 'Thrown: Cannot read properties of null'],
  [false, 'an order is lost that its events name', 'POST /v1/music/generations #1', 'lost_response', SAID],
  [true, 'the app returns 500, as pytest says it', CHAT, 'lost_response', 'AssertionError: assert 500 == 201'],
  [false, 'half a text is taken for the whole', CHAT, 'cut:middle', "AssertionError: expected 'Dear' to be 'Dear Sir'"],
  [false, 'something costs 1.502 in place of 201', CHAT, 'lost_response', 'AssertionError: 1.502 !== 201'],
])('decides whether a test fails only because it expects success (%s): %s', (expected, _, site, fault, error) => {
  const record = { failedTests: [{ name: 'writes', error }], requests: [madeRequest({})] };
  const run = madeRun({ record, failure: BROKE });
  const scenario = [{ site, fault }];
  expect(failsOnlyByExpectingSuccess(run, scenario, hasUnavoidableLoss(scenario, run.record))).toBe(expected);
});

function isExcusedIfSlow(error: string): boolean {
  const run = madeRun({ record: { failedTests: [{ name: 'writes', error }] }, failure: BROKE });
  return failsOnlyByExpectingSuccess(run, [{ site: CHAT, fault: 'slow' }], true);
}

it.each([
  ['openai', 'Request timed out.'],
  ['openai without a connection', 'Connection error.'],
  ['an app that wraps an error of openai', 'The image was not drawn.\nCaused by Request timed out.'],
  ['undici', 'Headers Timeout Error'],
  ['axios', 'timeout of 4000ms exceeded'],
  ['got', "Timeout awaiting 'request' for 4000ms"],
  ['fetch with a signal', 'This operation was aborted'],
  ['node-fetch', 'Invalid response body: Premature close'],
  ['urllib', 'TimeoutError: The read operation timed out'],
  ['requests', "ReadTimeout: HTTPConnectionPool(host='127.0.0.1', port=1): Read timed out. (read timeout=4)"],
  ['httpx', 'httpx.RemoteProtocolError: Server disconnected without sending a response.'],
])('recognizes a connection error as %s reports it', (_, error) => {
  expect(isExcusedIfSlow(error)).toBe(true);
});

it.each([
  ['Vitest', 'Test timed out in 5000ms.'],
  ['Jest', 'Exceeded timeout of 5000 ms for a test.'],
  ['Mocha', 'Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called.'],
  ['Playwright', 'Test timeout of 30000ms exceeded.'],
])('does not mistake the time limit of %s for a connection error', (_, error) => {
  expect(isExcusedIfSlow(error)).toBe(false);
});

it.each([
  ...[402, 404, 409, 424, 429, 500, 501, 502, 503, 504].map((status) => [status, true] as const),
  ...[400, 401, 403, 410, 422].map((status) => [status, false] as const),
])('decides whether an app may report a lost response with status %i: %s', (status, expected) => {
  const error = `AssertionError: expected ${status} to be 201 // Object.is equality`;
  const run = madeRun({ record: { failedTests: [{ name: 'writes', error }] }, failure: BROKE });
  expect(failsOnlyByExpectingSuccess(run, [{ site: CHAT, fault: 'lost_response' }], true)).toBe(expected);
});

const BY_PYTEST = (first: string, explained: string) => `
>       assert client.get(url).status_code == 200
E       ${first}
E         
E        +  where ${explained}

test_shop.py:20: AssertionError
FAILED test_shop.py::test_sells - ${first}
1 failed in 0.61s`;

it.each([
  [false, 'no error', 'The end.'],
  [true, 'the line of node:assert', 'AssertionError: 504 !== 200'],
  [true, 'the first line of pytest', BY_PYTEST('assert 409 == 200', '409 = <Response [409 Conflict]>.status_code')],
  [true, 'the first line of pytest with a message', BY_PYTEST("AssertionError: assert 'error' == 'done'", '+ error')],
  [false, 'an explanation of pytest', BY_PYTEST('assert 1 == 2', "1 = len([503, 'error'])")],
])('decides by its assertion whether a test without fixtures expects success (%s): %s', (expected, _, output) => {
  const scenario = [{ site: CHAT, fault: 'lost_response' }];
  expect(failsOnlyByExpectingSuccess(madeRun({ failure: BROKE, output }), scenario, true)).toBe(expected);
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
  [true, 'read to its end', 'drop', 'succeeded'],
  [false, 'read only while it was open', 'drop', 'processing'],
  [false, 'not the one whose event was lost', null, 'succeeded'],
])('excuses a test that waits for a lost event (%s) if the job is %s', (isSpared, _, fault, status) => {
  const read = { method: 'GET', path: '/v1/music/generations/mg_1', answer: JSON.stringify({ id: 'mg_1', status }) };
  const delivery = {
    id: 'dlv_1',
    type: 'music.generation.succeeded',
    subject: 'mg_1',
    fault,
  } as unknown as DeliveryRow;
  const record = {
    failedTests: [{ name: 'sings', error: 'delivery:music.generation.succeeded did not come within 40 s: …' }],
    requests: [madeRequest(read)],
    jobs: [{ id: 'mg_1', status: 'succeeded' as const }],
    deliveries: [delivery],
  };
  expect(
    failsOnlyByExpectingSuccess(madeRun({ record, failure: BROKE }), [{ site: EVENT, fault: 'lost' }], false),
  ).toBe(isSpared);
});
