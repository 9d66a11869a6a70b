import type { FaultEffect, FaultMatch, FaultOrder } from './fault-records.ts';
import { CRASH_TEXTS, WEBHOOK_TEXTS } from './fault-text.ts';

export interface DraftField {
  name: string;
  label: string;
  /** A number, a code, yes or no, or one of `options` (value and text). */
  type: 'number' | 'code' | 'switch' | 'options';
  options?: readonly (readonly [string, string])[];
  note?: string;
  isOptional?: boolean;
  min?: number;
  max?: number;
}

const MILLISECONDS = { type: 'number', min: 0, max: 600_000, isOptional: true } as const;
const EVENTS = { type: 'number', min: 1, isOptional: true } as const;

/** Every kind of effect, its text and its fields. */
export const EFFECTS: Record<string, { text: string; fields: readonly DraftField[] }> = {
  status: {
    text: 'Answer an error',
    fields: [
      { name: 'status', label: 'Status', type: 'number', min: 400, max: 599 },
      { name: 'code', label: 'Code', type: 'code', isOptional: true, note: 'Such as overloaded.' },
      {
        ...{ name: 'retry_after', label: 'Retry after, in seconds', type: 'number' },
        isOptional: true,
      },
    ],
  },
  delay_ms: {
    text: 'Wait',
    fields: [{ name: 'delay_ms', label: 'Milliseconds', type: 'number', min: 1, max: 600_000 }],
  },
  drop: { text: 'Reset the connection', fields: [] },
  fail_job: {
    text: 'Fail the work',
    fields: [{ ...{ name: 'fail_job', label: 'Code', type: 'code' }, note: 'It is refunded.' }],
  },
  stream: {
    text: 'Spoil a stream',
    fields: [
      { ...MILLISECONDS, name: 'ttft_ms', label: 'Milliseconds before the first event' },
      { ...MILLISECONDS, name: 'interval_ms', label: 'Milliseconds between events' },
      { ...EVENTS, name: 'cut_after', label: 'Events before the connection dies' },
      { ...EVENTS, name: 'malformed_at', label: 'Event that is no JSON' },
      { name: 'omit_done', label: 'Leave out [DONE]', type: 'switch' },
    ],
  },
  webhook: {
    text: 'Spoil a webhook',
    fields: [
      {
        ...{ name: 'webhook', label: 'How', type: 'options' },
        options: Object.entries(WEBHOOK_TEXTS),
      },
    ],
  },
  crash: {
    text: 'End the process',
    fields: [
      {
        ...{ name: 'crash', label: 'When', type: 'options', options: Object.entries(CRASH_TEXTS) },
        note: 'It is started again: with --supervise only.',
      },
    ],
  },
};

/** What the form holds, by the names of its fields; what is empty is left out. */
export type Draft = Record<string, string>;

export const NEW_DRAFT: Draft = {
  kind: 'status',
  status: '503',
  code: 'overloaded',
  delay_ms: '800',
  fail_job: 'render_failed',
  cut_after: '5',
  webhook: 'duplicate',
  crash: 'after_work',
  times: '1',
  chance: '100',
  whose: 'all',
};

/** The order that a draft is, as the control surface takes it. */
export function orderOf(draft: Draft, accountId: string | undefined): FaultOrder {
  const { path, model, contains, whose, times, chance, ttl_seconds: life } = draft;
  const match: FaultMatch = {
    ...(path && { path }),
    ...(model && { model }),
    ...(contains && { contains }),
    ...(whose === 'mine' && accountId && { account_id: accountId }),
  };
  return {
    match,
    effect: effectOf(draft),
    times: Number(times),
    ...(chance !== '100' && { probability: Number(chance) / 100 }),
    ...(life && { ttl_seconds: Number(life) }),
  };
}

function effectOf(draft: Draft): FaultEffect {
  const { kind = 'status' } = draft;
  const fields = (EFFECTS[kind]?.fields ?? [])
    .map(({ name, type }) => [name, given(draft[name], type)] as const)
    .filter(([, value]) => value !== undefined);
  if (kind === 'drop') return { drop: true };
  return kind === 'stream' ? { stream: Object.fromEntries(fields) } : Object.fromEntries(fields);
}

function given(text: string | undefined, type: DraftField['type']) {
  if (!text) return undefined;
  if (type === 'number') return Number(text);
  return type === 'switch' ? true : text;
}
