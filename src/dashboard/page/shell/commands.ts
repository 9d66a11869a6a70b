import { chooseAccount } from '../data/chosen-account.ts';
import { at, placeOf } from '../data/paths.ts';
import type { Account } from '../data/records.ts';
import { theme } from '../data/theme.ts';
import { shortId } from '../pieces/id-chip.tsx';
import { type Command, DEEDS } from './actions.ts';
import { AREAS } from './areas.ts';

const THEMES = ['light', 'dark', 'system'];

/** How many accounts are offered. */
const MOST_ACCOUNTS = 200;

/** What can be done from the command palette; an id that was typed comes first. */
export function commandsFor(typed: string, accounts: readonly Account[]): Command[] {
  return [...ofId(typed.trim()), ...PAGES, ...DEEDS, ...accounts.slice(0, MOST_ACCOUNTS).map(ofAccount), ...LOOKS];
}

const PAGES: Command[] = AREAS.map(({ area, title }) => ({
  key: area,
  text: title,
  note: 'Page',
  act: (navigate) => navigate(at[area]()),
}));

const LOOKS: Command[] = THEMES.map((name) => ({
  key: `theme ${name}`,
  text: `Theme: ${name}`,
  note: 'Look',
  act: () => theme.set(name),
}));

function ofAccount({ id, name }: Account): Command {
  const text = name ? `${name} (${shortId(id)})` : id;
  return { key: id, text, note: 'Account', act: () => chooseAccount(id) };
}

function ofId(id: string): Command[] {
  const place = placeOf(id);
  if (!place) return [];
  return [{ key: `open ${id}`, text: id, note: 'Open', act: (navigate) => navigate(place) }];
}
