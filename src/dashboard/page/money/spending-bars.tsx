import type { ReactNode } from 'react';
import { Credits, formatNumber } from '../pieces/credits.tsx';

/** What charges came to: of an account, a model or a day. */
export interface Spent {
  key: string;
  name: ReactNode;
  charges: number;
  refunds: number;
  credits: number;
}

interface SpendingBarsProps {
  title: string;
  label: string;
  rows: readonly Spent[];
  /** In all, beside the title. */
  total: number | undefined;
}

/** What was spent, each as a bar of its share of the dearest. */
export function SpendingBars({ title, label, rows, total }: SpendingBarsProps) {
  const most = Math.max(1, ...rows.map(({ credits }) => credits));
  return (
    <section className="spending column" aria-label={label}>
      <div className="row padded">
        <h2>{title}</h2>
        <span className="grow" />
        {total !== undefined && <Credits amount={total} unit />}
      </div>
      {total !== undefined && rows.length === 0 && (
        <p className="soft padded">Nothing in this time. What a request costs shows up here.</p>
      )}
      <ul className="padded fill scrolls" tabIndex={0} aria-label={`${label}, row by row`}>
        {rows.map(({ key, name, charges, refunds, credits }) => (
          <li key={key} className="spending-row">
            <span className="cut">{name}</span>
            <span className="soft small">
              {formatNumber(charges)} {charges === 1 ? 'charge' : 'charges'}
              {refunds > 0 && `, ${formatNumber(refunds)} refunded`}
            </span>
            <Credits amount={credits} />
            <span className="spending-bar" style={{ width: `${(100 * credits) / most}%` }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Work of one kind as a bar. */
export function spentOnWork<Sums extends { operation: string; model: string | null }>(sums: Sums) {
  const { operation, model } = sums;
  const name = (
    <>
      {operation} <span className="soft">{model}</span>
    </>
  );
  return { ...sums, key: `${operation} ${model}`, name };
}
