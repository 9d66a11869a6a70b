import { expect, it } from 'vitest';
import { findAdviceForCause } from '../../src/check/advice.ts';
import { checkIdOfFailedScenario, type Failure, PAID_MORE_CODE } from '../../src/check/faults/failed-check.ts';
import { FAULTS } from '../../src/check/faults/fault-table.ts';
import type { Site } from '../../src/check/faults/site.ts';

const VIDEO = 'POST /v1/videos/generations #1';
const CHAT = 'POST /v1/chat/completions #1';
const EVENT = 'delivery video.generation.succeeded #1';

const SITES: Readonly<Record<string, Site['kind']>> = {
  'POST /v1/music/generations #1': 'order',
  [VIDEO]: 'order',
  'POST /v1/images/generations #1': 'call',
  [CHAT]: 'stream',
  'POST /v1/webhooks #1': 'write',
  'GET /v1/videos/generations/{id} #1': 'read',
  'job video #1': 'job',
  'job music #1 take 1': 'take',
  [EVENT]: 'delivery',
  'GET /cdn #1': 'cdn',
  'GET /cdn (image) #1': 'cdn',
  endpoint: 'endpoint',
  'responses #1': 'responses',
};

const CAUSES = Object.entries(SITES).flatMap(([site, kind]) =>
  FAULTS.filter(({ at }) => at.includes(kind)).map(({ name: fault }) => ({ site, fault })),
);

type Harm = Pick<Failure, 'kind' | 'code'> & { check?: 'pays-once' };

function adviceOf(entry: (typeof CAUSES)[number], harm: Harm = { kind: 'exit' }): string {
  const scenario = [entry];
  return findAdviceForCause({ scenario, check: checkIdOfFailedScenario({ scenario, ...harm }), ...harm }) ?? '';
}

const [PAID_AGAIN, REJECTED]: Harm[] = [{ kind: 'spend', code: PAID_MORE_CODE }, { kind: 'receiver' }];
/** Advice about sending again states a condition or forbids it. */
const [IF_UNPAID, NOT_AGAIN] = [/send it again only if no other work .* nothing was charged/, /only if|do not send/];

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

it.each<[what: string, fault: string, site: string, words: RegExp, harm?: Harm]>([
  ['a read without a response', 'lost_response', 'GET /v1/videos/generations/{id} #1', /^Read again/],
  ['an endpoint whose app is killed', 'kill:during', 'POST /v1/webhooks #1', /^The endpoint may exist/],
  ['an order without a response', 'lost_response', VIDEO, /^A lost response is not a refusal: book what/],
  ['an order that was paid twice', 'lost_response', VIDEO, IF_UNPAID, PAID_AGAIN],
  ['a test that fails for pays-once', 'lost_response', CHAT, IF_UNPAID, { kind: 'exit', check: 'pays-once' }],
  ['a chat that was paid again after a cut stream', 'cut:middle', CHAT, NOT_AGAIN, PAID_AGAIN],
  ['a chat that was paid again after a kill', 'kill:during', CHAT, NOT_AGAIN, PAID_AGAIN],
  ['a rejected event of a failed job', 'fails', 'job music #1', /Return 2xx/, REJECTED],
  ['a rejected late event', 'late', EVENT, /Return 2xx/, REJECTED],
  ['a rejected event that came twice', 'duplicate', EVENT, /Return 2xx/, REJECTED],
  ['a test that counts events', 'lost', EVENT, /GET on its job.*If the app does this, the test counts events/],
  ['an unknown type of event', 'unknown_type', 'endpoint', /Return 2xx.*If the app does this, the test counts events/],
  ['an unknown event', 'unknown_event', 'responses #1', /Return 2xx.*If the app does this, the test counts events/],
  ['an expired URL of a job', 'expired', 'GET /cdn #1', /Read the job again/],
  ['an expired URL of an image', 'expired', 'GET /cdn (image) #1', /^(?!.*\bjob\b).*format: "b64_json".*store: true/],
])('gives the advice that fits %s, under the fault %s at %s', (_, fault, site, words, harm) => {
  const advice = adviceOf({ site, fault }, harm);
  expect(advice).toMatch(words);
  expect(advice).not.toMatch(/or send/);
});
