import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { recordSource } from '../data/call-api.ts';
import { Button } from '../pieces/page-parts.tsx';
import { AREAS } from './areas.ts';

type KeyRow = readonly [keys: readonly [key: string, other?: string], does: string];

const PAGE_KEYS: readonly KeyRow[] = [
  [['↑', '↓'], 'to a row of the list, or a step of an order'],
  [['Enter'], 'open it'],
  [['Esc'], 'back, or clear the search'],
  [['J', 'K'], 'the order before this one, after it'],
  [['/'], 'search; ↓ leads from there to the list'],
  [['?'], 'this table'],
];

const GO_KEYS: readonly KeyRow[] = AREAS.map(({ letter = '', title }) => [['g', letter], title]);

const LIVE_KEYS: readonly KeyRow[] = [[['Ctrl K'], 'search pages, accounts, actions and ids']];

const TRACE_KEYS: readonly KeyRow[] = [
  [['←', '→'], 'one event back, one on'],
  [['F'], 'to just before the failure, or the next one'],
  [['Space'], 'play'],
  [['Home', 'End'], 'both ends of the run'],
];

export default function KeyTable({ onClose }: { onClose: () => void }) {
  const isTrace = recordSource.value !== undefined;
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="palette-back" />
        <Dialog.Popup className="popup palette key-table">
          <div className="row ruled padded">
            <Dialog.Title className="grow strong">Keys</Dialog.Title>
            <Dialog.Close render={<Button variant="quiet" icon={X} aria-label="Close" />} />
          </div>
          <div className="scrolls padded">
            <Keys caption="On every page" rows={[...PAGE_KEYS, ...(isTrace ? TRACE_KEYS : LIVE_KEYS)]} />
            {!isTrace && <Keys caption="To a page, one key after the other" rows={GO_KEYS} />}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
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
