import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { callControl } from '../data/call-api.ts';
import { useDebounced } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { Credits, Toned } from '../pieces/values.tsx';
import type { DraftedCall } from './drafted-call.ts';

export type Price = AnswerOf<'priceRequest'>;

type Priced = Pick<DraftedCall, 'operation' | 'body' | 'file'>;

/** The price of a call, or why it would be refused, updated while typing. */
export function usePrice(call: Priced) {
  const { operation, body, bytes } = useDebounced(orderOf(call));
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
