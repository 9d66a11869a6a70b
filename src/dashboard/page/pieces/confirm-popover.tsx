import { Popover } from '@base-ui/react/popover';
import type { ReactElement } from 'react';
import { Button } from './page-parts.tsx';

export interface ConfirmProps {
  /** The button that asks: `<Button text="Reset" />`. */
  trigger: ReactElement<{ onClick?: () => void }>;
  title: string;
  note?: string;
  action: string;
  onConfirm: () => void;
}

export default function ConfirmPopover({ trigger, title, note, action, onConfirm }: ConfirmProps) {
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
          <Popover.Popup className="popup popup-form stack">
            <Popover.Title>{title}</Popover.Title>
            {note && <Popover.Description className="soft">{note}</Popover.Description>}
            <div className="row">
              <span className="grow" />
              <Popover.Close render={<Button text="Cancel" />} />
              <Popover.Close render={<Button text={action} variant="danger" onClick={onConfirm} />} />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
