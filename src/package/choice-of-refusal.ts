import { choiceOfCode, choiceOfDropped, choiceOfWarning } from './choice-table.ts';

/** What is on record of a refused request. */
export interface Refused {
  path: string;
  fault?: string | undefined;
  error?: string | undefined;
  error_message?: string | undefined;
}

/** What is on record of any. */
export interface Answered extends Refused {
  warnings?: string | undefined;
  dropped?: string | undefined;
}

/**
 * Refusals that the service leaves open: below which paths (none: all), with which code, in which words; and the choice. A
 * request with a bad field is on record without its operation.
 */
type Row = readonly [paths: string, code: string, message: RegExp, choice: string];

const BAD = 'invalid_request';
const CHAT = '/v1/chat/';
const IMAGE = '/v1/images/';
const CLIP = '/v1/videos/';
const SONG = '/v1/music/';
const WEBHOOK = '/v1/webhooks';
const OBJECT = '/v1/storage/objects';

/** The first that fits. Messages begin with the path of their field. */
const ROWS: readonly Row[] = [
  ['', BAD, /^.{1,200} is not a field of this operation; .*--strict /, 'C001'],
  ['', BAD, /^The body (?:is nested deeper|holds over|has a field whose name)/, 'C028'],
  ['', BAD, /^The (?:multipart )?body (?:is not valid|is broken|ended before|must be)/, 'C020'],
  ['', BAD, /^The Host header/, 'C184'],
  ['', BAD, /^model ".*" is of kind /, 'C023'],
  ['/v1/', BAD, / (?:must have at most \d+ items|has \[\[ more than)/, 'C028'],
  [CHAT, BAD, /^max_tokens must be at most /, 'C063'],
  [CHAT, BAD, /^messages must have at least /, 'C058'],
  [CHAT, BAD, /^messages\.\d+\.content\.\d+\.image_url/, 'C059'],
  [CLIP, BAD, /^duration and seconds /, 'C087'],
  [CLIP, BAD, /^resolution must /, 'C090'],
  [CLIP, BAD, /^aspect must /, 'C091'],
  [CLIP, BAD, /^(?:shot|lighting) has /, 'C093'],
  [CLIP, BAD, /^elements\.\d+ names no element/, 'C094'],
  [CLIP, BAD, /^seed must /, 'C095'],
  [CLIP, BAD, /^seconds must .* for this engine/, 'C096'],
  [CLIP, BAD, /^(?:negative_)?prompt has .* characters/, 'C107'],
  [IMAGE, BAD, /^negative_prompt has .* characters/, 'C107'],
  [SONG, BAD, /^A song needs at least one /, 'C124'],
  [SONG, BAD, /^(?:prompt|style|lyrics|title) has .* characters/, 'C125'],
  [SONG, BAD, /^seed must /, 'C127'],
  [SONG, BAD, /^An instrumental /, 'C132'],
  ['/v1/audio/speech', BAD, /^input (?:has .* characters|is empty)/, 'C135'],
  ['/v1/audio/transcriptions', BAD, /^The audio file is not whole: .*(?:ID3 tags|chunks)/, 'C031'],
  [WEBHOOK, BAD, /^url names this machine, which --strict/, 'C144'],
  [WEBHOOK, BAD, /^url (?:names (?:no public|an internal)|resolves to|carries a user|holds a backslash)/, 'C142'],
  [WEBHOOK, BAD, /^url leads to /, 'C210'],
  [WEBHOOK, BAD, /^flow_id goes with /, 'C158'],
  [OBJECT, BAD, /^(?:"after" must|limit must)/, 'C076'],
  ['', 'content_blocked', / the written lyrics /, 'C134'],
  ['', 'unsupported_media_type', /^file is /, 'C138'],
  ['', 'unsupported_media_type', /^The body must be JSON/, 'C021'],
  ['', 'not_found', /^There is no \//, 'C025'],
  ['', 'not_found', /^There is nothing at \/cdn/, 'C073'],
  ['', 'not_found', /^No flow answers at this address/, 'C169'],
  [OBJECT, 'not_found', /^This account has no /, 'C078'],
  ['/v1/', 'not_found', /^This account has no /, 'C024'],
  ['', 'conflict', /^This flow is switched off/, 'C170'],
  ['', 'timeout', /^The body grew by less /, 'C030'],
];

/** Codes that an injected failure shares with real ones. */
const SHARED = new Set(['timeout', 'conflict', 'rate_limited']);

/** The choice by which a request was refused as it was; undefined where the service's documentation says so. */
export function choiceOfRefusal({ path, fault, error, error_message: message = '' }: Refused): string | undefined {
  if (error === undefined) return undefined;
  const isShared = SHARED.has(error) && (fault !== undefined || message.includes('was asked for'));
  if (error === 'injected_fault' || isShared) return 'C037';
  const row = ROWS.find(([below, code, words]) => code === error && path.startsWith(below) && words.test(message));
  return row?.[3] ?? choiceOfCode(error);
}

const NONE: readonly string[] = [];

/** Every choice that an answer names, each once: of its refusal, or of the fields that it ignored or dropped. */
export function choicesOfAnswer(answered: Answered): readonly string[] {
  if (!answered.error && !answered.warnings && !answered.dropped) return NONE;
  const found = [
    choiceOfRefusal(answered),
    ...entriesOf(answered.warnings).map(choiceOfWarning),
    ...entriesOf(answered.dropped).map(choiceOfDropped),
  ];
  return [...new Set(found.flatMap((id) => id ?? []))];
}

/** The entries of `svc-emulator-warnings` or `svc-emulator-dropped`, as they were meant. */
export function entriesOf(list: string | undefined): string[] {
  return list ? list.split(',').map(decoded) : [];
}

function decoded(entry: string): string {
  try {
    return decodeURIComponent(entry);
  } catch {
    return entry;
  }
}
