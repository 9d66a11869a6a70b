import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { PageStore } from '../data/browser.ts';
import { BY_HAND, callControl } from '../data/call-api.ts';
import type { SampledCall } from '../data/code-samples.ts';
import { useDebounced } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { Credits, Toned } from '../pieces/values.tsx';
import type { Draft, Field, ServiceCall } from './read-document.ts';

/** A call as it will be sent. */
export interface DraftedCall extends SampledCall {
  operation: string;
  /** The body as JSON would carry it; of an upload, its text fields. */
  body: Record<string, unknown>;
  file: File | undefined;
}

/** What a form comes to: fields that say nothing are left out. */
export function draftedCall({ id, method, path, fields, params, isUpload }: ServiceCall, draft: Draft): DraftedCall {
  const given = params.filter(({ name }) => saysSomething(draft[name]));
  const query = new URLSearchParams(
    given.filter(({ isInPath }) => !isInPath).map(({ name }) => [name, String(draft[name])]),
  ).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (hole, name) =>
    saysSomething(draft[name]) ? encodeURIComponent(String(draft[name])) : hole,
  );
  const body = bodyOf(fields, draft);
  const file = draft.file instanceof File ? draft.file : undefined;
  const texts = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
  return {
    ...{ operation: id, method, body, file },
    path: query === '' ? filled : `${filled}?${query}`,
    request: fields.length > 0 && !isUpload ? JSON.stringify(body) : null,
    form: isUpload ? { fields: texts, file: file?.name ?? 'voice.mp3' } : undefined,
  };
}

function bodyOf(fields: readonly Field[], draft: Draft): Record<string, unknown> {
  const given = fields.filter(({ name, as }) => as !== 'file' && saysSomething(draft[name]));
  return Object.fromEntries(given.map(({ name }) => [name, draft[name]]));
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** What is missing before it can be sent. */
export function missingIn({ fields, params }: ServiceCall, draft: Draft): string | undefined {
  const missing = [...params, ...fields].find(({ name, isRequired }) => isRequired && !saysSomething(draft[name]));
  return missing && `${missing.name} is missing. It takes: ${missing.note || missing.type}`;
}

/** What is in the form of each operation, as long as the page is open: at first the first of its presets. */
class DraftStore extends PageStore<Record<string, Draft>> {
  of({ id, presets: [first] }: Pick<ServiceCall, 'id' | 'presets'>): Draft {
    return this.value[id] ?? first?.[1] ?? {};
  }

  put(operation: string, draft: Draft): void {
    this.set({ ...this.value, [operation]: draft });
  }
}

export const draftStore = new DraftStore({});

export function requestOf({ method, request, form, file }: DraftedCall, key: string): RequestInit {
  const byHand = { ...BY_HAND, authorization: `Bearer ${key}` };
  if (form) {
    const sent = new FormData();
    if (file) sent.set('file', file);
    for (const [name, value] of Object.entries(form.fields)) sent.set(name, value);
    return { method, headers: byHand, body: sent };
  }
  if (request === null) return { method, headers: byHand };
  return { method, headers: { ...byHand, 'content-type': 'application/json' }, body: request };
}

export type Price = AnswerOf<'priceRequest'>;

/** The price of a call, or why it would be refused, updated while typing. */
export function usePrice({ operation, body, file }: DraftedCall) {
  return useQuery(priceQuery(useDebounced({ operation, body, bytes: file?.size ?? 0 })));
}

interface PriceOrder {
  operation: string;
  body: Record<string, unknown>;
  bytes: number;
}

export function priceQuery(order: PriceOrder) {
  return {
    queryKey: ['order price', order],
    queryFn: () => callControl<Price>('POST', '/price', order),
    placeholderData: keepPreviousData<Price>,
  };
}

interface PriceLineProps {
  price: Price | undefined;
  /** What has to be filled in first. */
  missing: string | undefined;
  balance: number | undefined;
}

/** What the call will cost, before it is sent. */
export function PriceLine({ price, missing, balance }: PriceLineProps) {
  if (missing) return <p className="soft grow">{missing}</p>;
  if (!price) return <p className="grow" />;
  if (price.refusal) {
    return (
      <p className="grow" role="status">
        <Toned tone="bad" code>
          {price.refusal.code}
        </Toned>{' '}
        {price.refusal.message}
      </p>
    );
  }
  const isShort = balance !== undefined && price.credits > balance;
  return (
    <p className="grow" role="status" aria-label="Price">
      <strong>{price.credits === 0 ? 'Free' : <Credits amount={price.credits} unit />}</strong>
      {price.credits > 0 && <span className="soft"> {price.text}</span>}
      {isShort && <Toned tone="bad"> The balance does not cover it.</Toned>}
      {price.ignored.length > 0 && <span className="soft"> Ignored: {price.ignored.join(', ')}</span>}
    </p>
  );
}
