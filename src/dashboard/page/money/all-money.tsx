import type { AllSpendingRecord } from '../../../control/spending-control.ts';
import { chooseAccount } from '../data/chosen-account.ts';
import { useRecord } from '../data/queries.ts';
import { Credits, formatNumber } from '../pieces/credits.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { Figure, Figures } from '../pieces/figures.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { SpendingBars, spentOnWork } from './spending-bars.tsx';
import { isoOf, useSince } from './time-range.ts';

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
