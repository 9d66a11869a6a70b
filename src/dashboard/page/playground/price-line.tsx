import { Credits } from '../pieces/credits.tsx';
import type { Price } from './use-price.ts';

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
