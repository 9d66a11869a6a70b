import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SpendingRecord } from '../../../control/spending.ts';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { Figure, Figures } from '../pieces/page-parts.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { PlanField } from '../pieces/select-field.tsx';
import { Credits, formatNumber, Toned } from '../pieces/values.tsx';

/** What an account has, spent and may spend, each with what changes it. */
export function MoneyFigures(props: { account: Account; spending: SpendingRecord | undefined }) {
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

function BudgetLeft({ budget: { left, credits } }: { budget: NonNullable<Account['budget']> }) {
  return (
    <>
      <Toned tone={left <= 0 ? 'bad' : undefined}>{formatNumber(left)}</Toned>
      <span className="soft small"> left of {formatNumber(credits)}</span>
    </>
  );
}

function budgetNote({ budget }: Account): ReactNode {
  const refused = budget?.refused ?? 0;
  if (refused === 0) return null;
  return <Toned tone="bad">{`${formatNumber(refused)} ${refused === 1 ? 'request' : 'requests'} refused`}</Toned>;
}

const AMOUNTS = [100, 1000, 10_000].map((amount) => [`${amount}`, formatNumber(amount)]);

/** Gives an account credits. */
function TopUpForm({ account: { id } }: { account: Account }) {
  return (
    <PopupForm
      text="Top up"
      icon={Plus}
      note="Adds a top-up to the ledger of this account."
      action="Top up"
      fields={[
        { name: 'amount', label: 'Usual amounts', type: 'choices', options: AMOUNTS, value: '1000' },
        { name: 'amount', label: 'Credits', type: 'number', value: '1000', min: 1, max: 1_000_000_000 },
      ]}
      send={({ amount }) => callControl('POST', `/accounts/${id}/credits`, { amount: Number(amount) })}
      said={({ amount }) => `Topped up by ${formatNumber(Number(amount))} credits`}
    />
  );
}

const BOUNDS = [
  ['some', 'Up to'],
  ['none', 'No bound'],
];

/** What an account may spend from now on. */
function BudgetForm({ account: { id, budget } }: { account: Account }) {
  return (
    <PopupForm
      text={budget ? 'Change' : 'Set'}
      title="Budget"
      note="What the account may spend from now on, net of refunds. What goes beyond is answered 402 and charges nothing."
      action="Set the budget"
      fields={({ bound }) => [
        { name: 'bound', label: 'Bound', type: 'choices', options: BOUNDS, value: 'some' },
        ...(bound === 'none' ? [] : [{ name: 'credits', label: 'Credits', type: 'number', value: '500' } as const]),
      ]}
      send={({ credits = null }) =>
        callControl('PUT', `/accounts/${id}/budget`, { credits: credits === null ? null : Number(credits) })
      }
      said={({ bound }) => (bound === 'some' ? 'The budget counts from now on' : 'There is no budget any more')}
    />
  );
}
