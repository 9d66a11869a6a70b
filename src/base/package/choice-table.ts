import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ChoiceId } from '../errors.ts';
import { fixtureFolder } from './package-folder.ts';

/**
 * What the service's documentation leaves `open`, and what happens `here`, in Markdown. `touches` names what of the service
 * it concerns: operations by operationId (`*` is all of them), types of events, fields, and codes of errors; `rules` those of
 * docs/project/conformance.md that concern the same thing.
 */
export interface Choice {
  id: string;
  area: string;
  open: string;
  here: string;
  touches: { operations: string[]; events: string[]; fields: string[]; codes: string[] };
  rules?: string[];
}

/** Every choice in the order of ids. Read when it is asked for: no story needs it. */
export function readChoices(): Choice[] {
  return JSON.parse(readFileSync(path.join(fixtureFolder(), 'choices.json'), 'utf8'));
}

/** What `svc-emulator-warnings` says of a field, by its beginning, and the choice that it comes of; the first that fits. */
const OF_WARNINGS: readonly (readonly [RegExp, ChoiceId])[] = [
  [/^idempotency-key;/, 'C008'],
  [/;store$/, 'C071'],
  [/^style;language$/, 'C130'],
  [/^language;/, 'C137'],
  [/^events;flow_id$/, 'C143'],
  [/;nearest=/, 'C260'],
  [/;directive=fail:take/, 'C262'],
  [/;directive=block/, 'C264'],
  [/^[^;]+$/, 'C001'],
];

/** Fields that an engine does not take and that have a choice of their own. */
const OF_DROPPED: Readonly<Record<string, ChoiceId>> = {
  audio: 'C100',
  reference: 'C101',
  references: 'C101',
  elements: 'C104',
};

/** The one choice of which a code of an error comes, where the service names none. */
const OF_CODES: Readonly<Record<string, ChoiceId>> = {
  model_not_found: 'C022',
  method_not_allowed: 'C026',
  payload_too_large: 'C027',
  render_failed: 'C032',
  storage_full: 'C033',
  internal_error: 'C034',
  range_not_satisfiable: 'C073',
  permission_denied: 'C042',
  url_expired: 'C073',
  invalid_signature: 'C073',
  plan_cap_exceeded: 'C117',
  content_blocked: 'C133',
  endpoint_limit_reached: 'C160',
  not_waiting: 'C179',
  forbidden_host: 'C185',
  forbidden_origin: 'C187',
};

/** Findings of the verdict of which there is a choice that is more to the point than C224, the verdict itself. */
const OF_FINDINGS: Readonly<Record<string, ChoiceId>> = {
  ignored_retry_after: 'C182',
  paid_twice: 'C008',
  paid_again: 'C008',
  used_expired_url: 'C073',
};

/** The choice that a finding of the verdict concerns. */
export function choiceOfFinding(finding: string): ChoiceId {
  return (Object.hasOwn(OF_FINDINGS, finding) && OF_FINDINGS[finding]) || 'C224';
}

/** The choice by which an entry of `svc-emulator-warnings` is there; undefined where it is no choice. */
export function choiceOfWarning(entry: string): ChoiceId | undefined {
  return OF_WARNINGS.find(([pattern]) => pattern.test(entry))?.[1];
}

/** The choice by which an entry of `svc-emulator-dropped` is there. */
export function choiceOfDropped(field: string): ChoiceId {
  return (Object.hasOwn(OF_DROPPED, field) && OF_DROPPED[field]) || 'C099';
}

/** The choice by which an error has this code; undefined where the service's documentation names it, or several do. */
export function choiceOfCode(code: string): ChoiceId | undefined {
  return Object.hasOwn(OF_CODES, code) ? OF_CODES[code] : undefined;
}

/** What is on record of a request: the choice by which it was refused, and the fields that were ignored or dropped. */
export interface Answered {
  choice?: ChoiceId | undefined;
  warnings?: string | undefined;
  dropped?: string | undefined;
}

const NONE: readonly ChoiceId[] = [];

/** Every choice that an answer names, each once. */
export function choicesOfAnswer({ choice, warnings, dropped }: Answered): readonly ChoiceId[] {
  if (!choice && !warnings && !dropped) return NONE;
  const found = [choice, ...entriesOf(warnings).map(choiceOfWarning), ...entriesOf(dropped).map(choiceOfDropped)];
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
