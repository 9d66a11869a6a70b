import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { later } from '../data/browser-time.ts';
import { callControl } from '../data/call-api.ts';
import { Credits } from '../pieces/values.tsx';
import type { DraftedCall } from './call-draft.ts';

export interface Price {
  credits: number;
  charges: number;
  text: string;
  ignored: string[];
  refusal: { code: string; message: string; param: string | null } | null;
}

type Priced = Pick<DraftedCall, 'operation' | 'body' | 'file'>;

/** How long nothing changes before it is asked, in milliseconds. */
const PAUSE = 150;

/** What a call would cost, or why it would be refused; asked as one writes. */
export function usePrice(call: Priced) {
  const { operation, body, bytes } = useSettled(orderOf(call));
  return useQuery(priceQuery({ operation, body, bytes }));
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

function orderOf({ operation, body, file }: Priced): PriceOrder {
  return { operation, body, bytes: file?.size ?? 0 };
}

/** A value once it has stayed the same for a moment; by what it says, not by what it is. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => later(PAUSE, () => setSettled(JSON.parse(text))), [text]);
  return settled;
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
        <code className="toned" data-tone="bad">
          {price.refusal.code}
        </code>{' '}
        {price.refusal.message}
      </p>
    );
  }
  const isShort = balance !== undefined && price.credits > balance;
  return (
    <p className="grow" role="status" aria-label="Price">
      <strong>{price.credits === 0 ? 'Free' : <Credits amount={price.credits} unit />}</strong>
      {price.credits > 0 && <span className="soft"> {price.text}</span>}
      {isShort && (
        <span className="toned" data-tone="bad">
          {' '}
          The balance does not cover it.
        </span>
      )}
      {price.ignored.length > 0 && <span className="soft"> Ignored: {price.ignored.join(', ')}</span>}
    </p>
  );
}
