import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SpendingRecord } from '../../../control/ledger.ts';
import { chooseAccount, useSecond } from '../data/account-and-clock.ts';
import { callControl, withParams } from '../data/call-api.ts';
import { useRecord } from '../data/queries.ts';
import { ErrorNotice, Figure, Figures } from '../pieces/page-parts.tsx';
import { Credits, counted, formatNumber, shortId } from '../pieces/values.tsx';

/** Milliseconds. Charges are far more frequent. */
const AGAIN = 2000;

/** `since` is ISO 8601. Not reloaded with each charge, because it sums up to a million entries. */
export function useSpending(id: string, since: string | undefined) {
  return useQuery({
    queryKey: ['spending', id, since ?? 'all'],
    queryFn: () => callControl<SpendingRecord>('GET', withParams('/spending', { account_id: id, since })),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN,
  });
}

export const RANGE = {
  name: 'range',
  label: 'Time',
  options: { day: '24 hours', month: '30 days', all: 'All' },
  usual: 'all',
};

const LENGTHS: Record<string, number> = { day: 86_400, month: 30 * 86_400 };
const MINUTE = 60;

/** The start of a range in unix seconds, rounded to minutes of the emulator's clock. Undefined for all time. */
export function useSince(range: string | undefined): number | undefined {
  const now = useSecond();
  const length = LENGTHS[range ?? ''];
  if (length === undefined) return undefined;
  return Math.floor(now / MINUTE) * MINUTE - length;
}

export function isoOf(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}

export function AllMoney({ range }: { range: string | undefined }) {
  const params = { since: isoOf(useSince(range)) };
  const { data, error } = useRecord<SpendingRecord>('/spending', { params, again: AGAIN });
  const total = data?.total;
  return (
    <>
      <Figures>
        <Figure name="Charged">{total ? <Credits amount={total.charged} /> : '–'}</Figure>
        <Figure name="Refunded" note={total && `${formatNumber(total.refunds)} of ${counted(total.charges, 'charge')}`}>
          {total ? <Credits amount={total.refunded} /> : '–'}
        </Figure>
        <Figure name="Spent" note={total && `by ${counted(total.accounts, 'account')}`}>
          {total ? <Credits amount={total.credits} /> : '–'}
        </Figure>
      </Figures>
      <ErrorNotice error={error} />
      <div className="panels fill">
        {PARTS.map(({ of, rowsOf }) => (
          <SpendingBars
            key={of}
            title={`By ${of}`}
            label={`Spending by ${of}`}
            total={total?.credits}
            rows={data ? rowsOf(data) : []}
          />
        ))}
      </div>
    </>
  );
}

const PARTS: readonly { of: string; rowsOf: (spent: SpendingRecord) => SpendingBarsProps['rows'] }[] = [
  { of: 'account', rowsOf: ({ accounts: whose }) => whose.map(spentBy) },
  { of: 'model', rowsOf: ({ models }) => models.map(spentOnWork) },
  { of: 'day', rowsOf: ({ days }) => days.map((each) => ({ ...each, key: each.day, name: each.day })) },
];

function spentBy(sums: SpendingRecord['accounts'][number]) {
  const { account_id: id, name } = sums;
  const choose = (
    <button type="button" className="named bare" onClick={() => chooseAccount(id)}>
      {name ?? shortId(id)}
    </button>
  );
  return { ...sums, key: id, name: choose };
}

interface SpendingBarsProps {
  title: string;
  label: string;
  rows: readonly { key: string; name: ReactNode; charges: number; refunds: number; credits: number }[];
  total: number | undefined;
}

export function SpendingBars({ title, label, rows, total }: SpendingBarsProps) {
  const most = Math.max(1, ...rows.map(({ credits }) => credits));
  return (
    <section className="spending column" aria-label={label}>
      <div className="row padded">
        <h2>{title}</h2>
        <span className="grow" />
        {total !== undefined && <Credits amount={total} unit />}
      </div>
      {total !== undefined && rows.length === 0 && <p className="soft padded">No spending in this period.</p>}
      <ul className="padded fill scrolls" tabIndex={0} aria-label={`Rows of ${label}`}>
        {rows.map(({ key, name, charges, refunds, credits }) => (
          <li key={key} className="spending-row">
            <span className="cut">{name}</span>
            <span className="soft small">
              {counted(charges, 'charge')}
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

export function spentOnWork<Sums extends { operation: string; model: string | null }>(sums: Sums) {
  const { operation, model } = sums;
  const name = (
    <>
      {operation} <span className="soft">{model}</span>
    </>
  );
  return { ...sums, key: `${operation} ${model}`, name };
}
