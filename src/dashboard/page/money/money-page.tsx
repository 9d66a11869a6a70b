import { useMemo } from 'react';
import type { BalanceRecord } from '../../../control/ledger.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { emulatorNow } from '../data/emulator-clock.ts';
import { useRecord } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Choices } from '../pieces/choices.tsx';
import { ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { useFilter, useIsPhone } from '../pieces/use-address.ts';
import { AllMoney, isoOf, RANGES, SpendingBars, spentOnWork, useSince, useSpending } from './all-money.tsx';
import { BalanceChart, balancePoints } from './balance-chart.tsx';
import { LedgerList } from './ledger-list.tsx';
import { MoneyFigures } from './money-figures.tsx';
import './money.css';

const VIEWS = [
  ['overview', 'Overview'],
  ['ledger', 'Ledger'],
] as const;

/** What all accounts cost; of the chosen one what it has, what it was spent on, and every entry of its ledger. */
export default function MoneyPage() {
  const { account, accounts, only } = useAccounts();
  const isAll = only === undefined && accounts.length > 1;
  const [range, setRange] = useFilter('range', 'all');
  const [view, setView] = useFilter('view', 'overview');
  const isPhone = useIsPhone();
  const isOverview = isAll || !isPhone || view === 'overview';
  const isLedger = !isAll && (!isPhone || view === 'ledger');
  return (
    <>
      <PageHead title="Money">
        {isPhone && !isAll && <Choices label="View" value={view} options={VIEWS} onChange={setView} />}
        {isOverview && <Choices label="Time" value={range} options={RANGES} onChange={setRange} />}
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

function Overview({ account, range }: { account: Account; range: string }) {
  const since = useSince(range);
  const iso = isoOf(since);
  const { data: spending, error } = useSpending(account.id, iso);
  const { data: history } = useRecord<BalanceRecord>(`/accounts/${account.id}/balance`, {
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
      <div className="panels ruled fixed">
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
