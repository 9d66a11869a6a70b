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
const PAID_TWICE = 'paid_twice: It was sent again.';
const PAID_AGAIN = 'paid_again: It was sent again.';
const EXIT = 'The command ended with exit code 1.';

type Row = [fault: string, site: string, kind: FailureKind, message: string, assertion?: string];

function made([fault, site, kind, message, assertion = '']: Row): FailureFinding {
  const code = kind === 'verdict' ? message.slice(0, message.indexOf(':')) : undefined;
  const failure = { kind, message, ...(code !== undefined && { code }) };
  const finding = { token: `${fault} at ${site}`, check: 'survives-lost-messages' } as const;
  return foundOf([fault], { site, failure, assertion, finding });
}

function tokensOf(rows: readonly Row[]): string[][] {
  const findings: FailureFinding[] = [];
  for (const each of rows) addOrJoinFinding(findings, made(each));
  return findings.map(({ finding: { token, also } }) => [token, ...also]);
}

it.each<[string, Row, Row]>([
  ['with the same verdict', ['lost_response', SONG, 'verdict', PAID_TWICE], ['slow', SONG, 'verdict', PAID_TWICE]],
  [
    'with the same response of a receiver',
    ['status:503', SONG, 'receiver', 'A genuine delivery was answered 500.'],
    ['status:500', SONG, 'receiver', 'A genuine delivery was answered 500.'],
  ],
  [
    'with the same assertion',
    ['lost_response', SONG, 'exit', EXIT, 'not booked'],
    ['slow', SONG, 'exit', EXIT, 'not booked'],
  ],
  [
    'under the same fault at two requests',
    ['slow', SONG, 'exit', EXIT, 'a'],
    ['slow', SONG.replace('#1', '#2'), 'exit', EXIT, 'b'],
  ],
  [
    'under a stream that is cut in two places',
    ['cut:first', CHAT, 'exit', EXIT, 'a'],
    ['cut:middle', CHAT.replace('#1', '#2'), 'exit', EXIT, 'b'],
  ],
])('joins two failures %s into one finding that keeps both replay tokens', (_, first, second) => {
  const [one, other] = [first, second].map(([fault, site]) => `${fault} at ${site}`);
  expect(tokensOf([first, second])).toEqual([[one, other]]);
});

it('joins the same failure of a retried request into one finding, and reports a different failure separately', () => {
  const retried = (assertion: string): FailureFinding => {
    const again = made(['empty_balance', 'POST /v1/chat/completions #2', 'exit', EXIT, assertion]);
    const faults = [{ site: CHAT, fault: 'lost_response' }, ...again.scenario.faults] as never;
    return { ...again, scenario: { faults, kind: 'pair' } };
  };
  const findings = [made(['empty_balance', CHAT, 'exit', EXIT, 'Error: 402'])];
  addOrJoinFinding(findings, retried('Error: 402'));
  expect(findings).toHaveLength(1);
  addOrJoinFinding(findings, retried('Error: the reply is empty'));
  expect(findings).toHaveLength(2);
});

it.each<[string, Row, Row]>([
  [
    'with different responses of a receiver',
    ['status:503', SONG, 'receiver', 'A genuine delivery was answered 500.'],
    ['status:500', SONG, 'receiver', 'A genuine delivery was answered 404.'],
  ],
  [
    'that need different advice',
    ['lost_response', SONG, 'exit', EXIT, 'a'],
    ['lost_response', IMAGE, 'exit', EXIT, 'a'],
  ],
  [
    'with different codes',
    ['lost_response', SONG, 'verdict', PAID_TWICE],
    ['slow', SONG, 'verdict', 'retried_402: It came again.'],
  ],
  ['with different assertions', ['lost_response', SONG, 'exit', EXIT, 'a'], ['slow', SONG, 'exit', EXIT, 'b']],
  ['under different kinds of fault', ['status:429', SONG, 'exit', EXIT], ['slow', SONG, 'exit', EXIT]],
  ['of files that need different fixes', ['wrong_type', FILE, 'exit', EXIT], ['expired', FILE, 'exit', EXIT]],
  [
    'of an image and of a job whose URLs expired',
    ['expired', 'GET /cdn (image) #1', 'exit', EXIT, 'a'],
    ['expired', FILE, 'exit', EXIT, 'a'],
  ],
  ['of signatures that need different fixes', ['forged', EVENT, 'exit', EXIT], ['replayed', EVENT, 'exit', EXIT]],
  ['with different costs', ['lost_response', SONG, 'spend', 'It cost 6.'], ['slow', SONG, 'spend', 'It cost 9.']],
])('reports failures %s as separate findings', (_, first, second) => {
  expect(tokensOf([first, second])).toHaveLength(2);
});

it('joins double payments at several requests into one finding, whether a verdict or the cost shows them', () => {
  const paying = (site: string, failure: Failure) =>
    foundOf(['lost_response'], { site, failure, finding: { token: site } });
  const findings: FailureFinding[] = [];
  const add = (found: FailureFinding) => addOrJoinFinding(findings, found);
  add(paying(CHAT, { kind: 'verdict', code: 'paid_again', message: PAID_AGAIN }));
  add(paying(IMAGE, { kind: 'verdict', code: 'paid_twice', message: PAID_TWICE }));
  add(paying(SONG, { kind: 'spend', code: PAID_MORE_CODE, message: 'It cost 6.' }));
  expect(findings.map(({ finding: { check, token, also } }) => [check, token, also])).toEqual([
    ['pays-once', IMAGE, [CHAT, SONG]],
  ]);
  // A failure at a kind of site that is known needs no confirmation, even if it is not that of the head.
  const known = paying(SONG.replace('#1', '#4'), { kind: 'spend', code: PAID_MORE_CODE, message: 'It cost 6.' });
  expect(findSameCauseFinding(findings, known)).toBe(findings[0]);
  const lost = foundOf(['lost_response'], { site: SONG });
  expect(add(lost)).toBe(lost);
});

it('reports double payments once, and also another failure of the same scenario', () => {
  const found = tokensOf([
    ['lost_response', CHAT, 'verdict', PAID_AGAIN],
    ['cut:first', 'POST /v1/chat/completions #2', 'verdict', PAID_AGAIN],
    ['lost_response', CHAT, 'check', 'It was said twice.'],
    ['slow', 'POST /v1/audio/speech #1', 'verdict', PAID_AGAIN],
  ]);
  expect(found.map(([token]) => token)).toEqual([`lost_response at ${CHAT}`, `lost_response at ${CHAT}`]);
  expect(found.map(({ length }) => length)).toEqual([3, 1]);
});

it('joins findings with the same cause, leads with the worst one, and keeps the tokens of the others', () => {
  const found = (token: string, kind: FailureKind) =>
    foundOf(['twin'], { site: SONG, failure: { kind, message: EXIT }, finding: { token, check: 'pays-once' } });
  const findings: FailureFinding[] = [];
  addOrJoinFinding(findings, found('mild', 'exit'));
  addOrJoinFinding(findings, found('worse', 'spend'));
  const heads = findings.map(({ finding: { token, also }, failure: { kind } }) => ({ token, also, kind }));
  expect(heads).toEqual([{ token: 'worse', also: ['mild'], kind: 'spend' }]);
});
