import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { quoted } from '../base/errors.ts';
import { CHECK_IDS, type CheckId } from './checks.ts';
import type { ScenarioFaults } from './faults/fault-at.ts';
import { FAULT_NAMES } from './faults/fault-table.ts';
import { CannotRunError } from './runner/runner.ts';

/** What a token replays. `fault`: the tests under faults. `spend`: the baseline run alone. */
export type ReplayTarget = { kind: 'fault'; command: string; faults: ScenarioFaults } | { kind: 'spend' };

export interface DecodedToken {
  version: string;
  seed: number;
  check: CheckId;
  scene: ReplayTarget;
}

const TOKEN_LIMIT = 800;
const MARK = 'c1-';

const COMMON = Buffer.from(
  'take_fails:12 status:402 status:500 status:503 status:429 kill:before kill:during kill:after cut:first cut:before_done cut:middle lost_request lost_response slow empty_balance swapped fails blocked instant late unpolled duplicate twin reorder lost resent forged spelled replayed two_proofs unknown_type expired truncated endpoint GET /cdn #1 GET /v1/account #1 GET /v1/webhooks #1 POST /v1/webhooks #1 POST /v1/storage/objects #1 POST /v1/audio/transcriptions #1 POST /v1/audio/speech #1 POST /v1/images/generations #1 POST /hooks/flows/{token} #1 delivery flow.run.waiting #1 delivery flow.run.succeeded #1 delivery image.generation.succeeded #1 delivery video.generation.failed #1 delivery video.generation.succeeded #1 job video #1 job image #1 job music #1 take 2 GET /v1/videos/generations/{id} #1 POST /v1/videos/generations #1 POST /v1/chat/completions #1 GET /v1/music/generations/{id} #1 delivery music.generation.failed #1 delivery music.generation.succeeded #1 POST /v1/music/generations #1',
);

/** A token is one shell word. It is valid in any folder and checkout with the same version. */
export function encodeToken({ version, seed, check, scene }: DecodedToken): string {
  const text = [version, seed, check, scene.kind, ...linesOf(scene)].join('\n');
  return MARK + deflateRawSync(text, { dictionary: COMMON, level: 9 }).toString('base64url');
}

function linesOf(scene: ReplayTarget): string[] {
  if (scene.kind === 'spend') return [];
  return [scene.command, ...scene.faults.map(({ site, fault }) => `${fault}@${site}`)];
}

/** Undefined if the token is invalid or has unknown names. */
export function decodeToken(token: string): DecodedToken | undefined {
  if (!token.startsWith(MARK) || token.length > TOKEN_LIMIT) return undefined;
  const [version, seed = '', id, kind = '', ...lines] = unpacked(token.slice(MARK.length))?.split('\n') ?? [];
  const check = CHECK_IDS.find((each) => each === id);
  const scene = readScene(kind, lines);
  if (!version || !/^\d{1,10}$/.test(seed) || !check || !scene) return undefined;
  return { version, seed: Number(seed), check, scene };
}

function readScene(kind: string, [first = '', ...rest]: readonly string[]): ReplayTarget | undefined {
  if (kind === 'spend') return { kind };
  if (kind !== 'fault' || rest.length === 0) return undefined;
  const faults = rest.map((entry) => {
    const at = entry.indexOf('@');
    return { fault: entry.slice(0, at), site: entry.slice(at + 1) };
  });
  const isKnown = faults.every(({ fault }) => FAULT_NAMES.includes(fault));
  return isKnown ? { kind, command: first, faults } : undefined;
}

function unpacked(text: string): string | undefined {
  try {
    return inflateRawSync(Buffer.from(text, 'base64url'), { dictionary: COMMON, maxOutputLength: 10_000 }).toString();
  } catch {
    return undefined;
  }
}

/** Throws `CannotRunError` if the token is invalid or of another version. */
export function requireToken(text: string, version: string): DecodedToken {
  const replay = decodeToken(text);
  if (replay?.version === version) return replay;
  if (replay) {
    throw new CannotRunError(
      `The token is of version ${replay.version}; this is ${version}. Check again with this version.`,
    );
  }
  throw new CannotRunError(
    `--replay is ${quoted(text)}, which is not a token; copy one from a Replay line of a report.`,
  );
}

export interface CheckInvocation {
  program: readonly string[];
  words: readonly string[];
}

export function formatCheckCommand(options: readonly string[], { program, words }: CheckInvocation): string {
  return [...program, 'check', ...options, ...words].map(quotedForShell).join(' ');
}

/** A single word is already a command line; several are the words of a command. */
export function toShellCommandLine(words: readonly string[]): string {
  const [only = ''] = words;
  return words.length === 1 ? only : words.map(quotedForShell).join(' ');
}

function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
