import type { ReactNode } from 'react';
import type { AllSpendingRecord } from '../../../control/spending-control.ts';
import { chooseAccount } from '../data/chosen-account.ts';
import { useRecord } from '../data/queries.ts';
import { shortId } from '../pieces/ids.tsx';
import { ErrorNotice, Figure, Figures } from '../pieces/page-parts.tsx';
import { Credits, formatNumber } from '../pieces/values.tsx';
import { isoOf, useSince } from './use-spending.ts';

/** How often the sums are asked for, in milliseconds: what is charged is many times as frequent. */
const AGAIN = 2000;

/** What all accounts cost: which of them most, by model, by day. A click narrows every page to an account. */
export function AllMoney({ range }: { range: string }) {
  const params = { since: isoOf(useSince(range)) };
  const { data, error } = useRecord<AllSpendingRecord>('/spending', { params, again: AGAIN });
  const total = data?.total;
  return (
    <>
      <Figures>
        <Figure name="Charged">{total ? <Credits amount={total.charged} /> : '–'}</Figure>
        <Figure name="Came back" note={total && `${formatNumber(total.refunds)} of ${charges(total.charges)}`}>
          {total ? <Credits amount={total.refunded} /> : '–'}
        </Figure>
        <Figure name="Spent" note={total && `by ${formatNumber(total.accounts)} ${accounts(total.accounts)}`}>
          {total ? <Credits amount={total.credits} /> : '–'}
        </Figure>
      </Figures>
      <ErrorNotice error={error} />
      <div className="money-panels fill">
        <SpendingBars
          title="By account"
          label="Spending by account"
          total={total?.credits}
          rows={(data?.accounts ?? []).map((each) => ({
            ...each,
            key: each.account_id,
            name: (
              <button type="button" className="named bare" onClick={() => chooseAccount(each.account_id)}>
                {each.name ?? shortId(each.account_id)}
              </button>
            ),
          }))}
        />
        <SpendingBars
          title="By model"
          label="Spending by model"
          total={total?.credits}
          rows={(data?.models ?? []).map(spentOnWork)}
        />
        <SpendingBars
          title="By day"
          label="Spending by day"
          total={total?.credits}
          rows={(data?.days ?? []).map((each) => ({ ...each, key: each.day, name: each.day }))}
        />
      </div>
    </>
  );
}

function charges(n: number): string {
  return `${formatNumber(n)} ${n === 1 ? 'charge' : 'charges'}`;
}

function accounts(n: number): string {
  return n === 1 ? 'account' : 'accounts';
}

interface SpendingBarsProps {
  title: string;
  label: string;
  rows: readonly { key: string; name: ReactNode; charges: number; refunds: number; credits: number }[];
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
