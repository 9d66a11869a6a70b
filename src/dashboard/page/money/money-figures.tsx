import type { ReactNode } from 'react';
import type { Account } from '../data/records.ts';
import { Credits, formatNumber } from '../pieces/credits.tsx';
import { Figure, Figures } from '../pieces/figures.tsx';
import { PlanField } from '../pieces/plan-field.tsx';
import { BudgetForm } from './budget-form.tsx';
import type { Spending } from './money-records.ts';
import { TopUpForm } from './top-up-form.tsx';

/** What an account has, spent and may spend, each with what changes it. */
export function MoneyFigures(props: { account: Account; spending: Spending | undefined }) {
  const { account, spending } = props;
  const total = spending?.total;
  return (
    <Figures>
      <Figure name="Balance" tool={<TopUpForm account={account} />}>
        <Credits amount={account.credits} />
      </Figure>
      <Figure
        name="Spent"
        note={total && `${formatNumber(total.charged)} charged, ${formatNumber(total.refunded)} refunded`}
      >
        {total ? <Credits amount={total.credits} /> : '–'}
      </Figure>
      <Figure name="Budget" tool={<BudgetForm account={account} />} note={budgetNote(account)}>
        {account.budget ? <BudgetLeft budget={account.budget} /> : 'None'}
      </Figure>
      <Figure name="Plan of the workspace">
        <PlanField account={account} />
      </Figure>
    </Figures>
  );
}

function BudgetLeft({ budget }: { budget: NonNullable<Account['budget']> }) {
  const { left, credits } = budget;
  return (
    <span data-tone={left <= 0 ? 'bad' : undefined} className="credits">
      {formatNumber(left)}
      <span className="figure-of"> left of {formatNumber(credits)}</span>
    </span>
  );
}

function budgetNote({ budget }: Account): ReactNode {
  if (!budget || budget.refused === 0) return null;
  const { refused } = budget;
  const text = `${formatNumber(refused)} ${refused === 1 ? 'request' : 'requests'} refused`;
  return <span className="figure-refused">{text}</span>;
}
