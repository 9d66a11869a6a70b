export type {
  BalanceRecord as BalanceHistory,
  WholeEntry as EntryRecord,
} from '../../../control/ledger-control.ts';
export type {
  AllSpendingRecord as AllSpending,
  SpendingRecord as Spending,
} from '../../../control/spending-control.ts';
