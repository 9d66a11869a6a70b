import type { ChoiceId } from '../errors.ts';

const WARNING_CHOICES: readonly (readonly [RegExp, ChoiceId])[] = [
  [/^idempotency-key;/, 'C008'],
  [/;store$/, 'C071'],
  [/^style;language$/, 'C130'],
  [/^language;/, 'C137'],
  [/^events;flow_id$/, 'C143'],
  [/;unreachable-host$/, 'C282'],
  [/^[^;]+$/, 'C001'],
];

const DROPPED_CHOICES: Readonly<Record<string, ChoiceId>> = {
  audio: 'C100',
  reference: 'C101',
  references: 'C101',
  elements: 'C104',
};

/** The choice of an error code, unless the error names another one. */
const CODE_CHOICES: Readonly<Record<string, ChoiceId>> = {
  model_not_found: 'C022',
  method_not_allowed: 'C026',
  payload_too_large: 'C027',
  render_failed: 'C032',
  storage_full: 'C033',
  internal_error: 'C034',
  range_not_satisfiable: 'C073',
  precondition_failed: 'C073',
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

const FINDING_CHOICES: Readonly<Record<string, ChoiceId>> = {
  ignored_retry_after: 'C182',
  paid_twice: 'C008',
  paid_again: 'C008',
  used_expired_url: 'C073',
};

export function choiceSuffixOfFinding(finding: string): string {
  return Object.hasOwn(FINDING_CHOICES, finding) ? ` (choice ${FINDING_CHOICES[finding]})` : '';
}

export function choiceOfWarning(entry: string): ChoiceId | undefined {
  return WARNING_CHOICES.find(([pattern]) => pattern.test(entry))?.[1];
}

export function choiceOfDroppedField(field: string): ChoiceId {
  return (Object.hasOwn(DROPPED_CHOICES, field) && DROPPED_CHOICES[field]) || 'C099';
}

export function choiceOfErrorCode(code: string): ChoiceId | undefined {
  return Object.hasOwn(CODE_CHOICES, code) ? CODE_CHOICES[code] : undefined;
}

export interface ResponseChoiceFields {
  choice?: ChoiceId | undefined;
  warnings?: string | undefined;
  dropped?: string | undefined;
}

const NONE: readonly ChoiceId[] = [];

export function choiceIdsOfResponse({ choice, warnings, dropped }: ResponseChoiceFields): readonly ChoiceId[] {
  if (!choice && !warnings && !dropped) return NONE;
  const found = [
    choice,
    ...parseHeaderList(warnings).map(choiceOfWarning),
    ...parseHeaderList(dropped).map(choiceOfDroppedField),
  ];
  return [...new Set(found.flatMap((id) => id ?? []))];
}

export function parseHeaderList(list: string | undefined): string[] {
  return list ? list.split(',').map(decoded) : [];
}

function decoded(entry: string): string {
  try {
    return decodeURIComponent(entry);
  } catch {
    return entry;
  }
}
