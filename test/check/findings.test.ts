import { expect, it } from 'vitest';
import type { FailureFinding } from '../../src/check/failure-finding.ts';
import { type Failure, type FailureKind, PAID_MORE_CODE } from '../../src/check/faults/failed-check.ts';
import { addOrJoinFinding, findSameCauseFinding } from '../../src/check/findings.ts';
import { foundOf } from './made-report.ts';

const SONG = 'POST /v1/music/generations #1';
const IMAGE = 'POST /v1/images/generations #1';
const CHAT = 'POST /v1/chat/completions #1';
const FILE = 'GET /cdn #1';
const EVENT = 'delivery music.generation.succeeded #1';
const PAID_AGAIN = 'paid_again: It was sent again.';

const failing =
  (kind: FailureKind, message: string) =>
  (fault: string, site = SONG, assertion = ''): FailureFinding => {
    const code = kind === 'verdict' ? message.slice(0, message.indexOf(':')) : undefined;
    const failure = { kind, message, ...(code !== undefined && { code }) };
    const finding = { token: `${fault} at ${site}`, check: 'survives-lost-messages' } as const;
    return foundOf([fault], { site, failure, assertion, finding });
  };
const exit = failing('exit', 'The command ended with exit code 1.');
const refusal = failing('receiver', 'A genuine delivery was answered 500.');
const paidTwice = failing('verdict', 'paid_twice: It was sent again.');

/** A failure at a request that is sent again after its response was lost. */
function retried(assertion: string): FailureFinding {
  const again = exit('empty_balance', 'POST /v1/chat/completions #2', assertion);
  const faults = [{ site: CHAT, fault: 'lost_response' }, ...again.scenario.faults] as never;
  return { ...again, scenario: { faults, kind: 'pair' } };
}

function tokensOf(all: readonly FailureFinding[]): string[][] {
  const findings: FailureFinding[] = [];
  for (const each of all) addOrJoinFinding(findings, each);
  return findings.map(({ finding: { token, also } }) => [token, ...also]);
}

it.each([
  ['with the same verdict', paidTwice('lost_response'), paidTwice('slow')],
  ['with the same response of a receiver', refusal('status:503'), refusal('status:500')],
  ['with the same assertion', exit('lost_response', SONG, 'not booked'), exit('slow', SONG, 'not booked')],
  ['under the same fault at two requests', exit('slow', SONG, 'a'), exit('slow', SONG.replace('#1', '#2'), 'b')],
  ['under a stream that is cut in two places', exit('cut:first', CHAT, 'a'), exit('cut:middle', CHAT, 'b')],
  ['with the same assertion, of which one is of a retried request', exit('empty_balance', CHAT, 'a'), retried('a')],
])('joins two failures %s into one finding that keeps both replay tokens', (_, one, other) => {
  expect(tokensOf([one, other])).toEqual([[one.finding.token, other.finding.token]]);
});

it.each([
  [
    'with different responses of a receiver',
    refusal('status:503'),
    failing('receiver', 'A genuine delivery was answered 404.')('status:500'),
  ],
  ['that need different advice', exit('lost_response', SONG, 'a'), exit('lost_response', IMAGE, 'a')],
  ['with different codes', paidTwice('lost_response'), failing('verdict', 'retried_402: It came again.')('slow')],
  ['with different assertions', exit('lost_response', SONG, 'a'), exit('slow', SONG, 'b')],
  ['with different assertions, of which one is of a retried request', exit('empty_balance', CHAT, 'a'), retried('b')],
  ['under different kinds of fault', exit('status:429'), exit('slow')],
  ['of files that need different fixes', exit('wrong_type', FILE), exit('expired', FILE)],
  [
    'of an image and of a job whose URLs expired',
    exit('expired', 'GET /cdn (image) #1', 'a'),
    exit('expired', FILE, 'a'),
  ],
  ['of signatures that need different fixes', exit('forged', EVENT), exit('replayed', EVENT)],
  ['with different costs', failing('spend', 'It cost 6.')('lost_response'), failing('spend', 'It cost 9.')('slow')],
])('reports failures %s as separate findings', (_, one, other) => {
  expect(tokensOf([one, other])).toHaveLength(2);
});

it('joins double payments into one finding, whether a verdict or the cost shows them, and leads with the worst', () => {
  const paying = (fault: string, site: string, failure: Failure) =>
    foundOf([fault], { site, failure, finding: { token: site } });
  const findings: FailureFinding[] = [];
  const add = (found: FailureFinding) => addOrJoinFinding(findings, found);
  const again = { kind: 'verdict', code: 'paid_again', message: PAID_AGAIN } as const;
  const dearer = { kind: 'spend', code: PAID_MORE_CODE, message: 'It cost 6.' } as const;
  add(paying('lost_response', CHAT, again));
  add(paying('cut:first', CHAT.replace('#1', '#2'), again));
  add(
    paying('lost_response', IMAGE, { kind: 'verdict', code: 'paid_twice', message: 'paid_twice: It was sent again.' }),
  );
  add(paying('lost_response', SONG, dearer));
  expect(findings.map(({ finding: { check, token, also }, failure: { code } }) => [check, token, also, code])).toEqual([
    ['pays-once', IMAGE, [CHAT, CHAT.replace('#1', '#2'), SONG], 'paid_twice'],
  ]);
  // A failure at a known kind of site needs no confirmation, even if the finding leads with another site.
  expect(findSameCauseFinding(findings, paying('lost_response', SONG.replace('#1', '#4'), dearer))).toBe(findings[0]);
  // Another failure of the same scenario is another finding.
  const said = { kind: 'check', message: 'It was said twice.' } as const;
  const other = foundOf(['lost_response'], { site: CHAT, failure: said, finding: { check: 'pays-once' } });
  expect(add(other)).toBe(other);
});
