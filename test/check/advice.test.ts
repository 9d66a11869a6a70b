import { expect, it } from 'vitest';
import { findAdviceForCause } from '../../src/check/advice.ts';
import { type Failure, findFailedCheckId, PAID_MORE_CODE } from '../../src/check/faults/failed-check.ts';
import { FAULTS } from '../../src/check/faults/fault-table.ts';
import type { Site } from '../../src/check/faults/site.ts';

const SITES: Readonly<Record<string, Site['kind']>> = {
  'POST /v1/music/generations #1': 'order',
  'POST /v1/videos/generations #1': 'order',
  'POST /v1/images/generations #1': 'call',
  'POST /v1/chat/completions #1': 'stream',
  'POST /v1/webhooks #1': 'write',
  'GET /v1/videos/generations/{id} #1': 'read',
  'job video #1': 'job',
  'job music #1 take 1': 'take',
  'delivery video.generation.succeeded #1': 'delivery',
  'GET /cdn #1': 'cdn',
  'GET /cdn (image) #1': 'cdn',
  endpoint: 'endpoint',
  'responses #1': 'responses',
};

const CAUSES = Object.entries(SITES).flatMap(([site, kind]) =>
  FAULTS.filter(({ at }) => at.includes(kind)).map(({ name: fault }) => ({ site, fault })),
);

type Harm = Pick<Failure, 'kind' | 'code'>;

function adviceOf(entry: (typeof CAUSES)[number], harm: Harm = { kind: 'exit' }): string {
  const scenario = [entry];
  return findAdviceForCause({ scenario, ...harm, check: findFailedCheckId({ scenario, ...harm }) }) ?? '';
}

const PAID_TOO_MUCH: Harm = { kind: 'spend', code: PAID_MORE_CODE };

it('gives advice of at most two sentences for each fault at each kind of site', () => {
  expect(CAUSES.length).toBeGreaterThan(60);
  expect(CAUSES.filter((cause) => adviceOf(cause) === '')).toEqual([]);
  const long = CAUSES.map((cause) => adviceOf(cause)).filter((text) => text.split(/[.] (?=[A-Z])/).length > 2);
  expect(long).toEqual([]);
});

it('mentions the seed only in advice about orders of songs, because the events of a video contain no seed', () => {
  const advised = CAUSES.filter((cause) => /\bseed\b/.test(adviceOf(cause)));
  expect(advised).not.toEqual([]);
  expect(advised.filter(({ site }) => !site.startsWith('POST /v1/music/'))).toEqual([]);
});

it('gives different advice for a lost response to a read, for one to an order, and for one that leads to a second payment', () => {
  const lost = (site: string) => ({ site, fault: 'lost_response' });
  expect(adviceOf(lost('GET /v1/videos/generations/{id} #1'))).toMatch(/^Read again/);
  expect(adviceOf(lost('POST /v1/videos/generations #1'))).toMatch(/^A lost response is not a refusal: book what/);
  expect(adviceOf(lost('POST /v1/videos/generations #1'), PAID_TOO_MUCH)).toMatch(
    /send it again only if no other work runs on the account and .* nothing was charged/,
  );
});

it.each(['cut:middle', 'kill:during', 'lost_response'])(
  'advises a client that paid twice under the fault %s to repeat a request only on a condition, or not at all',
  (fault) => {
    const advice = adviceOf({ site: 'POST /v1/chat/completions #1', fault }, PAID_TOO_MUCH);
    expect(advice).toMatch(/only if|do not send/);
    expect(advice).not.toMatch(/or send/);
  },
);

it.each([
  ['fails', 'job music #1'],
  ['late', 'delivery music.generation.succeeded #1'],
  ['duplicate', 'delivery music.generation.succeeded #1'],
])('advises a receiver that rejects an event under the fault %s at %s to return 2xx', (fault, site) => {
  expect(adviceOf({ site, fault }, { kind: 'receiver' })).toMatch(/Return 2xx/);
});

it('gives advice about double payments if a test fails for the check pays-once', () => {
  const scenario = [{ site: 'POST /v1/chat/completions #3', fault: 'lost_response' }];
  expect(findAdviceForCause({ scenario, kind: 'exit', check: 'pays-once' })).toMatch(
    /only if no other work .* nothing was charged/,
  );
});

it.each([
  ['delivery video.generation.succeeded #1', 'lost', /GET on its job.*If the app does this, the test counts events/],
  ['endpoint', 'unknown_type', /Return 2xx.*If the app does this, the test counts events/],
  ['responses #1', 'unknown_event', /Return 2xx.*If the app does this, the test counts events/],
])(
  'advises a change of a test that counts events if the app does already what is advised: %s, %s',
  (site, fault, words) => {
    expect(adviceOf({ site, fault })).toMatch(words);
  },
);

it('advises reading a job again if the URL of its file expired, and b64_json or store for an image', () => {
  expect(adviceOf({ site: 'GET /cdn #1', fault: 'expired' })).toMatch(/Read the job again/);
  const advice = adviceOf({ site: 'GET /cdn (image) #1', fault: 'expired' });
  expect(advice).toMatch(/response_format: "b64_json".*store: true/);
  expect(advice).not.toMatch(/\bjob\b/);
});
