import { Popover } from '@base-ui/react/popover';
import type { ReactElement } from 'react';
import { Button } from './button.tsx';

interface ConfirmProps {
  /** The button that asks: `<Button>Reset</Button>`. */
  trigger: ReactElement;
  title: string;
  note?: string;
  /** What the button says that does it. */
  action: string;
  onConfirm: () => void;
}

/** Asks once more before something is lost. */
export function Confirm({ trigger, title, note, action, onConfirm }: ConfirmProps) {
  return (
    <Popover.Root>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
          <Popover.Popup className="popup confirm">
            <Popover.Title>{title}</Popover.Title>
            {note && <Popover.Description>{note}</Popover.Description>}
            <div className="confirm-buttons">
              <Popover.Close render={<Button>Cancel</Button>} />
              <Popover.Close
                render={
                  <Button look="danger" onClick={onConfirm}>
                    {action}
                  </Button>
                }
              />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
