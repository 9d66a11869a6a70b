import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useFoundAccounts } from '../data/chosen-account.ts';
import { type Command, commandsFor } from './commands.ts';

/** Every page, account and theme, by typing; an id that is pasted leads to what it names. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [, navigate] = useLocation();
  const found = useFoundAccounts(typed);
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
