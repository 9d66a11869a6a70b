import { KeptStore, useStore } from './page-store.ts';
import { useList } from './queries.ts';
import type { Account } from './records.ts';

/** The key that every fresh emulator knows: that of its first account. */
export const WELL_KNOWN_KEY = 'svc_sk_local_emulator';

const chosen = new KeptStore('account', '');

export function chooseAccount(id: string): void {
  chosen.set(id);
}

/** The account to which every list is narrowed; undefined for all of them. */
export function useOnlyAccount(): string | undefined {
  return useStore(chosen) || undefined;
}

/** All accounts, newest first, the one that was chosen above all lists (`only`), and the one to act as: that, or the first ever. */
export function useAccounts() {
  const id = useStore(chosen);
  const { data: accounts = [], isPending } = useList<Account>('/accounts');
  const first = accounts.at(-1);
  const only = accounts.find((each) => each.id === id);
  const account = only ?? first;
  return { accounts, account, only, isFirst: account !== undefined && account === first, isPending };
}
