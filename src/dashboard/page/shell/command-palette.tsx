import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { chooseAccount, useAccountSearch } from '../data/chosen-account.ts';
import { theme } from '../data/page-store.ts';
import { at, pathOf } from '../data/paths.ts';
import type { Account } from '../data/records.ts';
import { shortId } from '../pieces/ids.tsx';
import { showError, showToast } from '../pieces/toast.tsx';
import { AREAS } from './areas.ts';

/** Every page, account and theme, by typing; an id that is pasted leads to what it names. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [, navigate] = useLocation();
  const found = useAccountSearch(typed);
  const run = ({ act }: Command) => {
    onClose();
    act(navigate);
  };
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="palette-back" />
        <Dialog.Popup className="popup palette" aria-label="Command palette">
          <Autocomplete.Root
            open
            inline
            items={commandsFor(typed, found)}
            itemToStringValue={({ text, note }: Command) => `${text} ${note}`}
            value={typed}
            onValueChange={setTyped}
            autoHighlight="always"
            keepHighlight
          >
            <div className="row ruled padded">
              <Search aria-hidden />
              <Autocomplete.Input
                className="bare grow"
                aria-label="Search pages, accounts and ids"
                placeholder="Go to a page or an account, do something, or paste an id"
              />
            </div>
            <Autocomplete.Empty className="palette-none">Nothing of that name.</Autocomplete.Empty>
            <Autocomplete.List className="select-list scrolls" aria-label="Commands">
              {(command: Command) => (
                <Autocomplete.Item key={command.key} value={command} className="option" onClick={() => run(command)}>
                  {command.text}
                  <span className="soft">{command.note}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface Command {
  key: string;
  text: string;
  /** What kind it is. */
  note: string;
  act: (navigate: (to: string) => void) => void;
}

const DAY = 86_400;

/** What Ctrl K does, beside where it goes: text, what is done, and what is said of it. */
const ACTIONS: readonly (readonly [string, () => Promise<unknown>, string])[] = [
  ['Freeze the clock', () => callControl('PUT', '/clock', { frozen: true }), 'The clock stands'],
  ['Let the clock run', () => callControl('PUT', '/clock', { frozen: false }), 'The clock runs'],
  ['Advance 1 hour', () => advance(3600), 'An hour has gone by'],
  ['Advance 1 day', () => advance(DAY), 'A day has gone by'],
  ['Advance 8 days', () => advance(8 * DAY), 'Eight days have gone by'],
  ['New account', newAccount, 'The account is made, and chosen above'],
  ['Make the next song fail', () => failNext('/v1/music'), 'The next song fails'],
  ['Make the next clip fail', () => failNext('/v1/videos'), 'The next clip fails'],
  ['Make the next picture fail', () => failNext('/v1/images'), 'The next picture fails'],
  ['Disarm all faults', () => callControl('DELETE', '/faults'), 'No fault is armed'],
];

/** Reset asks once more: it is on the page of faults. */
const ACTION_COMMANDS: readonly Command[] = [
  ...ACTIONS.map(([text, act, said]) => ({
    key: text,
    text,
    note: 'Do',
    act: () => void act().then(() => showToast(said, undefined, 'good'), showError),
  })),
  { key: 'reset', text: 'Reset', note: 'Do', act: (navigate: (to: string) => void) => navigate(at.faults()) },
];

function advance(seconds: number): Promise<unknown> {
  return callControl('POST', '/clock/advance', { seconds });
}

function failNext(path: string): Promise<unknown> {
  return callControl('POST', '/faults', { match: { path }, effect: { fail_job: 'render_failed' } });
}

async function newAccount(): Promise<void> {
  const { id } = await callControl<{ id: string }>('POST', '/accounts', { credits: 1000 });
  chooseAccount(id);
}

const THEMES = ['light', 'dark', 'system'];

/** How many accounts are offered. */
const MOST_ACCOUNTS = 200;

/** What can be done from the command palette; an id that was typed comes first. */
function commandsFor(typed: string, accounts: readonly Account[]): Command[] {
  return [
    ...ofId(typed.trim()),
    ...PAGE_COMMANDS,
    ...ACTION_COMMANDS,
    ...accounts.slice(0, MOST_ACCOUNTS).map(ofAccount),
    ...THEME_COMMANDS,
  ];
}

const PAGE_COMMANDS: Command[] = AREAS.map(({ area, title }) => ({
  key: area,
  text: title,
  note: 'Page',
  act: (navigate) => navigate(at[area]()),
}));

const THEME_COMMANDS: Command[] = THEMES.map((name) => ({
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
  const place = pathOf(id);
  if (!place) return [];
  return [{ key: `open ${id}`, text: id, note: 'Open', act: (navigate) => navigate(place) }];
}
