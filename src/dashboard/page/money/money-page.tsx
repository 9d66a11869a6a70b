import { useMemo } from 'react';
import { useAccounts } from '../data/chosen-account.ts';
import { emulatorNow } from '../data/emulator-clock.ts';
import { useRecord } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Choices } from '../pieces/choices.tsx';
import { Split } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useIsPhone } from '../pieces/use-media.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { AllMoney } from './all-money.tsx';
import { BalanceChart } from './balance-chart.tsx';
import { balancePoints } from './balance-points.ts';
import { EntryDrawer } from './entry-drawer.tsx';
import { LedgerList } from './ledger-list.tsx';
import { MoneyFigures } from './money-figures.tsx';
import type { BalanceHistory } from './money-records.ts';
import { SpendingBars, spentOnWork } from './spending-bars.tsx';
import { isoOf, RANGES, useSince } from './time-range.ts';
import { useSpending } from './use-spending.ts';
import './money.css';

const TYPES = [
  ['all', 'All entries'],
  ['charge', 'Charges'],
  ['refund', 'Refunds'],
  ['in', 'Money in'],
] as const;
const VIEWS = [
  ['overview', 'Overview'],
  ['ledger', 'Ledger'],
] as const;

/** What all accounts cost; of the chosen one what it has, what it was spent on, and every entry of its ledger. */
export default function MoneyPage() {
  const { account, accounts, only } = useAccounts();
  const isAll = only === undefined && accounts.length > 1;
  const { id, open, close } = useOpened('money');
  const [range, setRange] = useFilter('range', 'all');
  const [type, setType] = useFilter('type', 'all');
  const [view, setView] = useFilter('view', 'overview');
  const isPhone = useIsPhone();
  const isOverview = isAll || !isPhone || view === 'overview';
  const isLedger = !isAll && (!isPhone || view === 'ledger');
  return (
    <Split drawer={id && <EntryDrawer id={id} onClose={close} />}>
      <PageHead title="Money">
        {isPhone && !isAll && <Choices label="View" value={view} options={VIEWS} onChange={setView} />}
        {isOverview && <Choices label="Time" value={range} options={RANGES} onChange={setRange} />}
        <span className="page-head-gap" />
        {isLedger && <Choices label="Entries" value={type} options={TYPES} onChange={setType} />}
      </PageHead>
      {isAll && (
        <div className="measured">
          <AllMoney range={range} />
        </div>
      )}
      {!isAll && account && (
        <div className="measured" key={account.id}>
          {isOverview && <Overview account={account} range={range} />}
          {isLedger && <LedgerList accountId={account.id} type={type} opened={id} onOpen={open} />}
        </div>
      )}
    </Split>
  );
}

function Overview({ account, range }: { account: Account; range: string }) {
  const since = useSince(range);
  const iso = isoOf(since);
  const { spending, error } = useSpending(account, iso);
  const { data: history } = useRecord<BalanceHistory>(`/accounts/${account.id}/balance`, {
    params: { since: iso },
  });
  const points = useMemo(
    () => history && balancePoints(history, { since, now: emulatorNow() / 1000 }),
    [history, since],
  );
  return (
    <>
      <MoneyFigures account={account} spending={spending} />
      <ErrorNotice error={error} />
      <div className="money-panels">
        {points && <BalanceChart points={points} />}
        <SpendingBars
          title="Spent on"
          label="Spending"
          total={spending?.total.credits}
          rows={(spending?.data ?? []).map(spentOnWork)}
        />
      </div>
    </>
  );
}
