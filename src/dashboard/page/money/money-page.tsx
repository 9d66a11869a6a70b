import './money.css';
import { Plus, ReceiptText, Undo2, Waypoints } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { SpendingRecord } from '../../../control/ledger.ts';
import { useAccounts } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { useIsPhone } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import type { Account, LedgerEntry } from '../data/records.ts';
import { column, type ListSpec, RecordList, useRecords } from '../pieces/data-list.tsx';
import { PlanField, PopupForm } from '../pieces/form.tsx';
import { ErrorNotice, Figure, Figures, FilterChoices, LiveOnly, PageHead, useChoice } from '../pieces/page-parts.tsx';
import { Credits, exactTime, formatNumber, shortId, Time } from '../pieces/values.tsx';
import { AllMoney, isoOf, RANGE, SpendingBars, spentOnWork, useSince, useSpending } from './spending.tsx';

const VIEW = { name: 'view', label: 'View', options: { overview: 'Overview', ledger: 'Ledger' } };

export default function MoneyPage() {
  const { account, accounts, only } = useAccounts();
  const isAll = only === undefined && accounts.length > 1;
  const range = useChoice(RANGE);
  const isLedgerChosen = useChoice(VIEW) === 'ledger';
  const isPhone = useIsPhone();
  const isOverview = isAll || !isPhone || !isLedgerChosen;
  const isLedger = !isAll && (!isPhone || isLedgerChosen);
  return (
    <>
      <PageHead title="Money">
        {isPhone && !isAll && <FilterChoices {...VIEW} />}
        <LiveOnly>{isOverview && <FilterChoices {...RANGE} />}</LiveOnly>
      </PageHead>
      {isAll && (
        <div className="measured column fill">
          <AllMoney range={range} />
        </div>
      )}
      {!isAll && account && (
        <div className="measured column fill" key={account.id}>
          {isOverview && <Overview account={account} range={range} />}
          {isLedger && <LedgerList accountId={account.id} />}
        </div>
      )}
    </>
  );
}

function Overview({ account, range }: { account: Account; range: string | undefined }) {
  const { data: spending, error } = useSpending(account.id, isoOf(useSince(range)));
  return (
    <>
      <MoneyFigures account={account} spending={spending} />
      <ErrorNotice error={error} />
      <div className="panels ruled fixed">
        <SpendingBars
          title="Spent on"
          label="Spending"
          total={spending?.total.credits}
          rows={(spending?.models ?? []).map(spentOnWork)}
        />
      </div>
    </>
  );
}

function MoneyFigures(props: { account: Account; spending: SpendingRecord | undefined }) {
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
      <Figure name="Workspace plan">
        <PlanField account={account} />
      </Figure>
    </Figures>
  );
}

const AMOUNTS = [100, 1000, 10_000].map((amount) => [`${amount}`, formatNumber(amount)]);

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
      toast={({ amount }) => `Topped up by ${formatNumber(Number(amount))} credits`}
    />
  );
}

function LedgerList({ accountId }: { accountId: string }) {
  const [, navigate] = useLocation();
  const { choices } = LEDGER;
  const path = `/accounts/${accountId}/usage`;
  const found = useRecords<LedgerEntry>(path, { choices, params: { limit: 500, account_id: undefined } });
  // A refund is newer than its charge, so a list of charges needs the refunds separately.
  const { data: refunds = NO_REFUNDS } = useList<LedgerEntry>(path, {
    params: { type: 'refund' },
    enabled: useChoice(choices) === 'charge',
  });
  const rows = useMemo(() => withRefunds(found.rows, refunds), [found.rows, refunds]);
  const open = (id: string) => {
    const entry = rows.find((row) => row.id === id);
    if (entry?.type === 'charge' || entry?.type === 'refund') navigate(at.timeline(id));
  };
  return <RecordList {...LEDGER} found={{ ...found, rows }} onOpen={open} />;
}

const NO_REFUNDS: readonly LedgerEntry[] = [];

function withRefunds(rows: readonly LedgerEntry[], others: readonly LedgerEntry[]): readonly LedgerRow[] {
  const refunds = new Map([...others, ...rows].map(({ id, refund_of }) => [refund_of, id]));
  return rows.map((row) => ({ ...row, refund: refunds.get(row.id) }));
}

const KINDS: Record<LedgerEntry['type'], string> = {
  grant: 'Grant',
  charge: 'Charge',
  refund: 'Refund',
  top_up: 'Top-up',
};

/** `refund` is the id of the refund of a charge. */
interface LedgerRow extends LedgerEntry {
  refund: string | undefined;
}

const LEDGER: ListSpec<LedgerRow> = {
  label: 'Ledger',
  search: 'Search the ledger',
  columns: [
    column('Time', '184px', ({ created }) => <Time at={created}>{exactTime(created)}</Time>, { line: 2 }),
    column('Entry', '64px', ({ type }) => KINDS[type], { line: 1 }),
    column('For', 'minmax(160px, 3fr)', purpose, { line: 1, grow: true }),
    column('Linked to', 'minmax(120px, 2fr)', linked, { line: 2, grow: true, wide: true }),
    column('Amount', '80px', ({ amount }) => <Credits amount={amount} signed />, { align: 'end', line: 1 }),
    column('Balance', '96px', ({ balance }) => <Credits amount={balance} />, { align: 'end', line: 2 }),
  ],
  choices: {
    name: 'type',
    label: 'Entries',
    options: { all: 'All', charge: 'Charges', refund: 'Refunds', top_up: 'Top-ups', grant: 'Grants' },
  },
  none: {
    icon: ReceiptText,
    title: 'No entries yet',
    description: 'Grants, top-ups and charges appear here.',
  },
  autoLoad: true,
};

const OrderWords = lazy(() => import('../pieces/order-words.tsx'));

function purpose({ operation, model, request_id }: LedgerEntry) {
  if (operation === null) return null;
  const what = `${operation} ${model ?? ''}`;
  if (request_id === null) return what;
  return (
    <Suspense fallback={what}>
      <OrderWords id={request_id} what={what} />
    </Suspense>
  );
}

function linked({ id, type, refund_of: charge, refund, job_id: job }: LedgerRow) {
  const back = charge ?? refund;
  if (!back && type !== 'charge') return null;
  const Icon = back ? Undo2 : Waypoints;
  const named = back ?? job;
  return (
    <Link className="named" href={at.timeline(back ?? id)}>
      <Icon aria-hidden /> {charge ? 'refunds ' : refund ? 'refunded by ' : job ? '' : 'View request'}
      {named && <code>{shortId(named)}</code>}
    </Link>
  );
}
