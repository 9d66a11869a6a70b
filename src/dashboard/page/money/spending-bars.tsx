import { Credits, formatNumber } from '../pieces/credits.tsx';
import type { Spending } from './money-records.ts';

/** What was spent, by operation and model: the dearest first. */
export function SpendingBars({ spending }: { spending: Spending | undefined }) {
  const rows = spending?.data ?? [];
  const most = Math.max(1, ...rows.map(({ credits }) => credits));
  return (
    <section className="spending" aria-label="Spending">
      <div className="spending-head">
        <h2>Spent on</h2>
        {spending && <Credits amount={spending.total.credits} unit />}
      </div>
      {spending && rows.length === 0 && (
        <p className="soft">Nothing in this time. What a request costs shows up here.</p>
      )}
      <ul className="spending-rows" tabIndex={0} aria-label="Spending by operation and model">
        {rows.map(({ operation, model, charges, refunds, credits }) => (
          <li key={`${operation} ${model}`} className="spending-row">
            <span className="spending-name">
              {operation} <span className="soft">{model}</span>
            </span>
            <span className="spending-count soft">
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
