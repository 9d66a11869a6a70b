import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Finding } from './finding-book.ts';
import { type Schedule, titleOf } from './schedule.ts';

/** What a token brings back: the schedule with the seed, story and version that it belongs to. */
export interface Replay {
  version: string;
  seed: number;
  /** The plain steps, as `storyMark` names them. */
  story: string;
  /** Of a finding of a check: the statement that it breaks. */
  statement?: number | undefined;
  schedule: Schedule;
}

/** What a token may be long, in characters. */
export const TOKEN_LIMIT = 200;

const MARK = 'x1-';

/** What texts of tokens have in common: it is not spelt out in each. */
const COMMON = Buffer.from(
  'take_fails:12 status:402 status:500 status:503 status:429 kill:before kill:during kill:after cut:first cut:before_done cut:middle lost_request lost_answer slow empty_balance swapped fails blocked instant late unpolled duplicate twin reorder lost resent forged spelled replayed two_proofs foreign unknown_type expired truncated endpoint GET /cdn #1 GET /v1/account #1 GET /v1/webhooks #1 POST /v1/webhooks #1 POST /v1/storage/objects #1 POST /v1/audio/transcriptions #1 POST /v1/audio/speech #1 POST /v1/images/generations #1 POST /hooks/flows/{token} #1 delivery flow.run.waiting #1 delivery flow.run.succeeded #1 delivery image.generation.succeeded #1 delivery video.generation.failed #1 delivery video.generation.succeeded #1 job video #1 job image #1 job music #1 take 2 GET /v1/videos/generations/{id} #1 POST /v1/videos/generations #1 POST /v1/chat/completions #1 GET /v1/music/generations/{id} #1 delivery music.generation.failed #1 delivery music.generation.succeeded #1 POST /v1/music/generations #1',
);

/** One text, at most 200 characters, good in any folder and checkout of the same version. */
export function writeToken({ version, seed, story, statement, schedule }: Replay): string {
  const about = statement === undefined ? story : `${story} ${statement}`;
  const text = [version, seed, about, ...schedule.map(({ step, deviation }) => `${deviation}@${step}`)].join('\n');
  return MARK + deflateRawSync(text, { dictionary: COMMON, level: 9 }).toString('base64url');
}

/** Undefined where it is none. */
export function readToken(token: string): Replay | undefined {
  if (!token.startsWith(MARK) || token.length > TOKEN_LIMIT * 4) return undefined;
  const text = unpacked(token.slice(MARK.length));
  const [version, seed, about = '', ...entries] = text?.split('\n') ?? [];
  const [story, statement] = about.split(' ');
  if (!version || !/^\d+$/.test(seed ?? '') || !story || entries.length === 0) return undefined;
  const schedule = entries.map((entry) => {
    const at = entry.indexOf('@');
    return { deviation: entry.slice(0, at), step: entry.slice(at + 1) };
  });
  return { version, seed: Number(seed), story, ...(statement && { statement: Number(statement) }), schedule };
}

function unpacked(text: string): string | undefined {
  try {
    return inflateRawSync(Buffer.from(text, 'base64url'), { dictionary: COMMON, maxOutputLength: 10_000 }).toString();
  } catch {
    return undefined;
  }
}

/** How a command is run again: the words that started this program, and those that follow `explore --replay TOKEN`. */
export interface Again {
  /** With `check --again` instead. */
  isCheck?: boolean;
  program: readonly string[];
  words: readonly string[];
}

/** What shows a finding again, as a whole command for a shell; a call where the story is a function. */
export function replayLine(token: string, again: Again | undefined): string {
  if (!again) return `explore(story, { replay: '${token}' })`;
  const how = again.isCheck ? ['check', '--again'] : ['explore', '--replay'];
  return [...again.program, ...how, token, ...again.words].map(quotedForShell).join(' ');
}

/** A single word is a line for the shell; several are words of a command. */
export function shellText(words: readonly string[]): string {
  const [only = ''] = words;
  if (words.length === 1) return only;
  return words.map(quotedForShell).join(' ');
}

/** A word as a shell reads it unchanged. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

type Replayable = Pick<Finding, 'token' | 'schedule'>;

/** What a replay by a command may take, in milliseconds: Vitest's own limit is meant for a function. */
const LIMIT = '120_000';

/**
 * A file for Vitest with a test for each finding, which fails until the story copes with it. `again` says how the
 * command is run again; without it the story is a function of the file.
 */
export function regressionTest(findings: readonly Replayable[], again?: HowAgain): string {
  const [head, testOf] = again ? ([OF_COMMAND, commandTest(again)] as const) : ([OF_FUNCTION, functionTest] as const);
  return [...head, ...findings.flatMap((finding) => ['', ...testOf(finding)])].join('\n');
}

const OF_COMMAND = [
  "import { execFileSync } from 'node:child_process';",
  "import { test } from 'vitest';",
  '',
  '// A run of explore or mutate that includes this file would start it again without end.',
  "const isSearched = [process.env.SVC_EXPLORE, process.env.SVC_MUTATE].includes('1');",
];
const OF_FUNCTION = ["import { exploreTest } from 'svc-emulator/vitest';"];

type HowAgain = Pick<Again, 'words' | 'isCheck'>;

function commandTest({ words: command, isCheck }: HowAgain): (finding: Replayable) => string[] {
  const how = isCheck ? ['check', '--again'] : ['explore', '--replay'];
  return (finding) => {
    const words = ['svc-emulator', ...how, finding.token, ...command];
    return [
      `test.skipIf(isSearched)(${testTitle(finding)}, () => {`,
      `  const words = [${words.map(quoted).join(', ')}];`,
      // A script there, which only a shell finds.
      "  execFileSync('npx', words, { stdio: 'inherit', shell: process.platform === 'win32' });",
      `}, ${LIMIT});`,
    ];
  };
}

function functionTest(finding: Replayable): string[] {
  return [`exploreTest(${testTitle(finding)}, story, { replay: ${quoted(finding.token)} });`];
}

function testTitle({ schedule }: Replayable): string {
  return quoted(`survives ${titleOf(schedule)}`);
}

/** As a literal of JavaScript, whatever it contains. */
function quoted(text: string): string {
  if (/['\\\p{Cc}\u2028\u2029]/u.test(text)) return JSON.stringify(text);
  return `'${text}'`;
}
