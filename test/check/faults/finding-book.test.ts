import { expect, it } from 'vitest';
import type { FailureKind } from '../../../src/check/faults/failed-check.ts';
import { addFinding, type FaultFinding } from '../../../src/check/faults/finding-book.ts';

const SONG = 'POST /v1/music/generations #1';
const IMAGE = 'POST /v1/images/generations #1';
const CHAT = 'POST /v1/chat/completions #1';
const PAID_TWICE = 'paid_twice: It was sent again.';
const PAID_AGAIN = 'paid_again: It was sent again.';
const EXIT = 'The command ended with exit code 1.';

type FindingRow = [fault: string, step: string, kind: FailureKind, message: string, output?: string];

const findingOf = ([fault, step, kind, message, output = '']: FindingRow): FaultFinding => ({
  ...{ token: `${fault} at ${step}`, scenario: [{ step, fault }], kind, message, output },
  ...(kind === 'verdict' ? { code: message.slice(0, message.indexOf(':')) } : {}),
  ...{ check: 'survives-lost-messages', also: [], seen: 1, timeline: [] },
});

function keptOf(told: readonly FindingRow[]): [token: string, seen: number][] {
  const findings: FaultFinding[] = [];
  for (const each of told) addFinding(findings, findingOf(each));
  return findings.map(({ token, seen }) => [token, seen]);
}

it.each<[string, FindingRow, FindingRow]>([
  ['a verdict', ['lost_response', SONG, 'verdict', PAID_TWICE], ['slow', SONG, 'verdict', PAID_TWICE]],
  [
    'a fault of a receiver',
    ['status:503', SONG, 'receiver', 'A genuine delivery was answered 500.'],
    ['status:500', SONG, 'receiver', 'A genuine delivery was answered 500.'],
  ],
  [
    'an assertion',
    ['lost_response', SONG, 'exit', EXIT, 'at 12:31\nError: job_0k3 is not booked\n at line 3'],
    ['slow', SONG, 'exit', EXIT, 'at 12:32\nError: job_9x1 is not booked\n at line 7'],
  ],
])('counts as one what fails by %s under two faults that are alike', (_, first, second) => {
  expect(keptOf([first, second])).toEqual([[`${first[0]} at ${SONG}`, 2]]);
});

it('counts as one what fails alike at a retry that another fault brought about, and not what fails otherwise', () => {
  const again = (output: string): FaultFinding => {
    const retried = findingOf(['empty_balance', 'POST /v1/chat/completions #2', 'exit', EXIT, output]);
    return { ...retried, scenario: [{ step: CHAT, fault: 'lost_response' }, ...retried.scenario] };
  };
  const findings = [findingOf(['empty_balance', CHAT, 'exit', EXIT, 'Error: 402'])];
  addFinding(findings, again('Error: 402'));
  expect(findings.map(({ seen }) => seen)).toEqual([2]);
  addFinding(findings, again('Error: the reply is empty'));
  expect(findings.map(({ seen }) => seen)).toEqual([2, 1]);
});

it.each<[string, FindingRow, FindingRow]>([
  [
    'with other orders paid twice',
    ['lost_response', SONG, 'verdict', PAID_TWICE],
    ['slow', SONG, 'verdict', 'paid_twice: b'],
  ],
  [
    'by other answers of a receiver',
    ['status:503', SONG, 'receiver', 'A genuine delivery was answered 500.'],
    ['status:500', SONG, 'receiver', 'A genuine delivery was answered 404.'],
  ],
  ['at other sites', ['lost_response', SONG, 'verdict', PAID_TWICE], ['slow', IMAGE, 'verdict', PAID_TWICE]],
  [
    'by other codes',
    ['lost_response', SONG, 'verdict', PAID_TWICE],
    ['slow', SONG, 'verdict', 'retried_402: It came again.'],
  ],
  ['by other assertions', ['lost_response', SONG, 'exit', EXIT, 'Error: a'], ['slow', SONG, 'exit', EXIT, 'Error: b']],
  ['by what is not alike', ['status:429', SONG, 'exit', EXIT], ['status:503', SONG, 'exit', EXIT]],
  ['by other ends', ['lost_response', SONG, 'spend', 'It cost 6.'], ['slow', SONG, 'spend', 'It cost 9.']],
])('keeps apart what fails %s', (_, first, second) => {
  expect(keptOf([first, second])).toHaveLength(2);
});

it('keeps what is paid again last and once, and does not hide another failure of the same scenario with it', () => {
  const told: FindingRow[] = [
    ['lost_response', CHAT, 'verdict', PAID_AGAIN],
    ['cut:first', 'POST /v1/chat/completions #2', 'verdict', PAID_AGAIN],
    ['lost_response', CHAT, 'check', 'It was said twice.'],
    ['slow', 'POST /v1/audio/speech #1', 'verdict', PAID_AGAIN],
  ];
  const chat = `lost_response at ${CHAT}`;
  expect(keptOf(told)).toEqual([
    [chat, 1],
    [chat, 3],
  ]);
});

it('keeps every token of a cause, and has the worst harm as its head', () => {
  const mild = { ...findingOf(['lost_response', SONG, 'exit', EXIT]), check: 'pays-once' as const };
  const worse = { ...findingOf(['lost_response', SONG, 'spend', EXIT]), token: 'worse', check: 'pays-once' as const };
  const findings: FaultFinding[] = [];
  addFinding(findings, mild);
  addFinding(findings, worse);
  expect(findings.map(({ token, also, kind }) => ({ token, also, kind }))).toEqual([
    { token: 'worse', also: [`lost_response at ${SONG}`], kind: 'spend' },
  ]);
});
