import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button, showErrorToast, showToast } from '../components/page-parts.tsx';
import { shortId } from '../components/values.tsx';
import { useAccountSearch } from '../data/account-and-clock.ts';
import { recordPagePath } from '../data/addresses.ts';
import { areaPathBuilders, navigationAreas } from '../data/areas.ts';
import { themePreference } from '../data/browser.ts';
import { callControl, traceSource } from '../data/call-api.ts';
import { chooseAccount } from '../data/chosen-account.ts';
import type { Account } from '../data/records.ts';

export default function ShellDialog({ name, onClose }: { name: 'palette' | 'keys'; onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="palette-back" />
        {name === 'palette' ? <CommandPalette onClose={onClose} /> : <KeyboardShortcuts />}
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CommandPalette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [, navigate] = useLocation();
  const found = useAccountSearch(typed);
  const run = ({ act }: Command) => {
    onClose();
    act(navigate);
  };
  return (
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
            placeholder="Search pages, accounts and actions, or paste an id"
          />
        </div>
        <Autocomplete.Empty className="palette-none">No results.</Autocomplete.Empty>
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
  );
}

interface Command {
  key: string;
  text: string;
  note: string;
  act: (navigate: (to: string) => void) => void;
}

const DAY = 86_400;

const ACTIONS: readonly (readonly [string, () => Promise<unknown>, string])[] = [
  ['Freeze the clock', () => callControl('setClock', { frozen: true }), 'Clock frozen'],
  ['Resume the clock', () => callControl('setClock', { frozen: false }), 'Clock running'],
  ['Advance 1 hour', () => callControl('advanceClock', { seconds: 3600 }), 'Clock moved by 1 hour'],
  ['Advance 1 day', () => callControl('advanceClock', { seconds: DAY }), 'Clock moved by 1 day'],
  ['Advance 8 days', () => callControl('advanceClock', { seconds: 8 * DAY }), 'Clock moved by 8 days'],
  ['New account', newAccount, 'Account created and selected'],
  ['Make the next song fail', () => failNext('/v1/music'), 'The next song will fail'],
  ['Make the next video fail', () => failNext('/v1/videos'), 'The next video will fail'],
  ['Make the next image fail', () => failNext('/v1/images'), 'The next image will fail'],
  ['Remove all faults', () => callControl('deleteFaults', {}), 'All faults removed'],
];

function failNext(path: string): Promise<unknown> {
  return callControl('createFault', { match: { path }, effect: { fail_job: 'render_failed' } });
}

async function newAccount(): Promise<void> {
  const { id } = await callControl('createAccount', { credits: 1000 });
  chooseAccount(id);
}

const THEMES = ['light', 'dark', 'system'];

function commandsFor(typed: string, accounts: readonly Account[]): Command[] {
  const wanted = typed.trim();
  const found = recordPagePath(wanted);
  const command = (note: string, text: string, act: Command['act'], key = text) => ({ key, text, note, act });
  const link = (note: string, text: string, href: string, key = text) =>
    command(note, text, (navigate) => navigate(href), key);
  return [
    ...(found ? [link('Open', wanted, found, `open ${wanted}`)] : []),
    ...navigationAreas().map(({ area, title }) => link('Page', title, areaPathBuilders[area](), area)),
    ...ACTIONS.map(([text, act, toast]) =>
      command('Action', text, () => void act().then(() => showToast(toast, undefined, 'good'), showErrorToast)),
    ),
    link('Action', 'Reset', `${areaPathBuilders.faults()}?view=snapshots`),
    ...accounts.map(({ id, name }) =>
      command('Account', name ? `${name} (${shortId(id)})` : id, () => chooseAccount(id), id),
    ),
    ...THEMES.map((name) => command('Theme', `Theme: ${name}`, () => themePreference.set(name))),
  ];
}

type KeyRow = readonly [keys: readonly [key: string, other?: string], does: string];

const PAGE_KEYS: readonly KeyRow[] = [
  [['↑', '↓'], 'Move to a row or step'],
  [['Enter'], 'Open'],
  [['Esc'], 'Go back, or clear the search'],
  [['J', 'K'], 'Older or newer request'],
  [['/'], 'Search (↓ moves to the list)'],
  [['?'], 'Show this table'],
];

const PALETTE_KEY: KeyRow = [['Ctrl K'], 'Search pages, accounts, actions and ids'];

function KeyboardShortcuts() {
  const isTrace = traceSource.value !== undefined;
  return (
    <Dialog.Popup className="popup palette key-table">
      <div className="row ruled padded">
        <Dialog.Title className="grow strong">Keys</Dialog.Title>
        <Dialog.Close render={<Button variant="quiet" icon={X} text="Close" isSmall />} />
      </div>
      <div className="scrolls padded" tabIndex={0} role="region" aria-label="Keys, contents">
        <Keys caption="On every page" rows={isTrace ? PAGE_KEYS : [...PAGE_KEYS, PALETTE_KEY]} />
        {!isTrace && (
          <Keys caption="Go to a page" rows={navigationAreas().map(({ key = '', title }) => [['g', key], title])} />
        )}
      </div>
    </Dialog.Popup>
  );
}

function Keys({ caption, rows }: { caption: string; rows: readonly KeyRow[] }) {
  return (
    <table>
      <caption className="soft small">{caption}</caption>
      <tbody>
        {rows.map(([[key, other], does]) => (
          <tr key={does}>
            <th scope="row">
              <kbd className="kbd">{key}</kbd> {other && <kbd className="kbd">{other}</kbd>}
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
