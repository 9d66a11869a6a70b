import './money.css';
import { Plus, ReceiptText, Undo2, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { capitalized } from '../../../base/text.ts';
import type { WireAnswer } from '../../../control/call-operation.ts';
import { column, type ListSpec, RecordList } from '../components/data-list.tsx';
import { PlanField, PopupForm } from '../components/form.tsx';
import { ErrorNotice, FilterChoices, KeyFigure, LiveOnly, PageHeader } from '../components/page-parts.tsx';
import { Credits, formatExactTime, formatNumber, pluralizeCount, shortId, Time } from '../components/values.tsx';
import { useAccountSelection, useEmulatorTime } from '../data/account-and-clock.ts';
import { useFilterChoice } from '../data/addresses.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { useIsPhone } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { chooseAccount } from '../data/chosen-account.ts';
import { useOrderSummary } from '../data/order-store.ts';
import { useFilteredRecords, useOperation, useRows } from '../data/queries.ts';
import type { Account, LedgerEntry } from '../data/records.ts';

/**
 * Milliseconds between reloads of the summary. Charges are far more frequent, so the summary does not follow each one.
 */
const AGAIN = 2000;

const RANGE = {
  name: 'range',
  label: 'Time',
  options: { day: '24 hours', month: '30 days', all: 'All' },
  usual: 'all',
};

const LENGTHS: Record<string, number> = { day: 86_400, month: 30 * 86_400 };
const MINUTE = 60;

type Spending = WireAnswer<'summarizeSpending'>;

const VIEW = { name: 'view', label: 'View', options: { overview: 'Overview', ledger: 'Ledger' } };

export default function MoneyPage() {
  const { account, accounts, only } = useAccountSelection();
  const isAll = only === undefined && accounts.length > 1;
  const range = useFilterChoice(RANGE);
  const isLedgerChosen = useFilterChoice(VIEW) === 'ledger';
  const isPhone = useIsPhone();
  const isOverview = isAll || !isPhone || !isLedgerChosen;
  const isLedger = !isAll && (!isPhone || isLedgerChosen);
  return (
    <>
      <PageHeader title="Money">
        {isPhone && !isAll && <FilterChoices {...VIEW} />}
        <LiveOnly>{isOverview && <FilterChoices {...RANGE} />}</LiveOnly>
      </PageHeader>
      <div className="measured column fill" key={isAll ? undefined : account?.id}>
        {account && isOverview && <Overview account={isAll ? undefined : account} range={range} />}
        {account && isLedger && <LedgerList accountId={account.id} />}
      </div>
    </>
  );
}

/** Without an account, shows the spending of all accounts. */
function Overview({ account, range }: { account: Account | undefined; range: string | undefined }) {
  const minute = Math.floor(useEmulatorTime() / MINUTE) * MINUTE;
  const length = LENGTHS[range ?? ''];
  const since = length === undefined ? undefined : new Date((minute - length) * 1000).toISOString();
  const { data, error } = useOperation('summarizeSpending', { account_id: account?.id, since }, { again: () => AGAIN });
  return (
    <>
      <div className="panels ruled fixed">
        {account ? <AccountFigures account={account} {...data} /> : <AllFigures {...data} />}
      </div>
      <ErrorNotice error={error} />
      {account ? (
        <div className="panels ruled fixed">
          <SpendingBars {...data} rows={data?.models.map((sums) => spentOnWork(sums, ledgerOf(sums)))} />
        </div>
      ) : (
        <div className="panels fill">
          <SpendingBars {...data} of="account" rows={data?.accounts.map(spentBy)} />
          <SpendingBars {...data} of="model" rows={data?.models.map((sums) => spentOnWork(sums, ordersOf(sums)))} />
          <SpendingBars
            {...data}
            of="day"
            rows={data?.days.map((each) => ({ ...each, key: each.day, name: each.day }))}
          />
        </div>
      )}
    </>
  );
}

function AccountFigures({ account, total }: Partial<Spending> & { account: Account }) {
  const note = total && `${formatNumber(total.charged)} charged, ${formatNumber(total.refunded)} refunded`;
  return (
    <>
      <KeyFigure name="Balance" tool={<TopUpForm account={account} />}>
        <Credits amount={account.credits} />
      </KeyFigure>
      <SumFigure name="Spent" amount={total?.credits} note={note} />
      <KeyFigure name="Workspace plan">
        <PlanField account={account} />
      </KeyFigure>
    </>
  );
}

function AllFigures({ total }: Partial<Spending>) {
  const refunds = total && `${formatNumber(total.refunds)} of ${pluralizeCount(total.charges, 'charge')}`;
  return (
    <>
      <SumFigure name="Charged" amount={total?.charged} />
      <SumFigure name="Refunded" amount={total?.refunded} note={refunds} />
      <SumFigure
        name="Spent"
        amount={total?.credits}
        note={total && `by ${pluralizeCount(total.accounts, 'account')}`}
      />
    </>
  );
}

function SumFigure({ amount, ...figure }: { name: string; amount: number | undefined; note?: string | undefined }) {
  return <KeyFigure {...figure}>{amount === undefined ? '–' : <Credits amount={amount} />}</KeyFigure>;
}

type ModelSums = Spending['models'][number];

function ledgerOf({ operation, model }: ModelSums): string {
  const q = [operation, model].filter(Boolean).join(' ');
  return `${areaPathBuilders.money()}?${new URLSearchParams({ q, view: 'ledger' })}`;
}

function ordersOf({ model }: ModelSums): string {
  const q = model === null ? 'has:charge' : `has:charge model:${model}`;
  return `${areaPathBuilders.live()}?${new URLSearchParams({ q })}`;
}

function spentOnWork({ operation, model, ...sums }: ModelSums, place: string): BarRow {
  const name = (
    <Link className="named" href={place}>
      {operation} <span className="soft">{model}</span>
    </Link>
  );
  return { ...sums, key: `${operation} ${model}`, name };
}

function spentBy({ account_id: id, name, ...sums }: Spending['accounts'][number]): BarRow {
  const choose = (
    <button type="button" className="named bare" onClick={() => chooseAccount(id)}>
      {name ?? shortId(id)}
    </button>
  );
  return { ...sums, key: id, name: choose };
}

type BarRow = Pick<ModelSums, 'charges' | 'refunds' | 'credits'> & { key: string; name: ReactNode };

function SpendingBars({
  of,
  total,
  rows = [],
}: { of?: string; rows: readonly BarRow[] | undefined } & Partial<Spending>) {
  const most = Math.max(1, ...rows.map(({ credits }) => credits));
  const label = of ? `Spending by ${of}` : 'Spending';
  return (
    <section className="column" aria-label={label}>
      <div className="row padded">
        <h2>{of ? `By ${of}` : 'Spent on'}</h2>
        <span className="grow" />
        {total && <Credits amount={total.credits} unit />}
      </div>
      {total && rows.length === 0 && <p className="soft padded">No spending in this period.</p>}
      <ul className="padded fill scrolls" tabIndex={0} aria-label={`Rows of ${label}`}>
        {rows.map(({ key, name, charges, refunds, credits }) => (
          <li key={key} className="spending-row">
            <span className="cut">{name}</span>
            <span className="soft small">
              {pluralizeCount(charges, 'charge')}
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
      send={({ amount }) => callControl('topUpCredits', { id, amount: Number(amount) })}
      toast={({ amount }) => `Topped up by ${pluralizeCount(Number(amount), 'credit')}`}
    />
  );
}

function LedgerList({ accountId }: { accountId: string }) {
  const [, navigate] = useLocation();
  const { choices } = LEDGER;
  const found = useFilteredRecords('listUsage', { id: accountId, limit: 500 }, { choices, isOfAll: true });
  // A list of charges alone lacks the refunds of these charges, so the refunds are read separately.
  const enabled = useFilterChoice(choices) === 'charge';
  const { data: others = [] } = useRows('listUsage', { id: accountId, type: 'refund' }, { enabled });
  const refunds = new Map([...others, ...found.rows].map(({ id, refund_of }) => [refund_of, id]));
  const rows = found.rows.map((row) => ({ ...row, refund: refunds.get(row.id) }));
  const open = (id: string) => {
    const entry = rows.find((row) => row.id === id);
    if (entry?.type === 'charge' || entry?.type === 'refund') navigate(areaPathBuilders.timeline(id));
  };
  return <RecordList {...LEDGER} found={{ ...found, rows }} onOpen={open} />;
}

interface LedgerRow extends LedgerEntry {
  refund: string | undefined;
}

const LEDGER: ListSpec<LedgerRow> = {
  label: 'Ledger',
  search: 'Search the ledger',
  columns: [
    column('Time', '184px', ({ created }) => <Time at={created}>{formatExactTime(created)}</Time>, { line: 2 }),
    column('Entry', '64px', ({ type }) => capitalized(type.replace('_', '-')), { line: 1 }),
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
  icon: ReceiptText,
  none: 'No entries yet',
  hint: 'Grants, top-ups and charges appear here.',
};

function purpose({ operation, model, request_id, run_id }: LedgerEntry) {
  if (operation === null) return null;
  const what = `${operation} ${model ?? ''}`;
  const order = request_id ?? run_id;
  return order === undefined ? what : <OrderWords id={order} what={what} />;
}

function OrderWords({ id, what }: { id: string; what: string }) {
  const words = useOrderSummary(id)?.request.prompt;
  if (!words) return what;
  return (
    <span title={`${words} · ${what}`}>
      <span dir="auto">{words}</span> <span className="soft">{what}</span>
    </span>
  );
}

function linked({ id, type, refund_of: charge, refund, job_id: job, run_id: run }: LedgerRow) {
  const back = charge ?? refund;
  if (!back && type !== 'charge') return null;
  const Icon = back ? Undo2 : Waypoints;
  const named = back ?? job;
  return (
    <Link className="named" href={areaPathBuilders.timeline(back ?? id)}>
      <Icon aria-hidden /> {charge ? 'refunds ' : refund && 'refunded by '}
      {named ? <code>{shortId(named)}</code> : run ? 'View run' : 'View request'}
    </Link>
  );
}
