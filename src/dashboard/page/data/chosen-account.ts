import { createPersistedStore, useStore } from './browser.ts';

export const MAX_SEARCH_LENGTH = 200;

export const chosenAccountId = createPersistedStore('account', '');

export const chooseAccount = (id: string) => chosenAccountId.set(id);

export function useChosenAccountId(): string | undefined {
  return useStore(chosenAccountId) || undefined;
}
