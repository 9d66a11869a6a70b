import { Popover } from '@base-ui/react/popover';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { useAct } from '../data/queries.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { OfService } from './of-service.tsx';

interface PopupFormProps {
  /** The button that opens it: `<Button>Top up</Button>`. */
  trigger: ReactElement;
  title: string;
  note?: ReactNode;
  /** What the button says that sends it. */
  action: string;
  /** Sends it; the form closes when it is done, and says what went wrong otherwise. */
  onSend: () => Promise<unknown>;
  /** The fields. */
  children: ReactNode;
}

/** A small form beside the button that opens it. */
export function PopupForm(props: PopupFormProps) {
  return (
    <OfService>
      <OpenablePopup {...props} />
    </OfService>
  );
}

function OpenablePopup({ trigger, title, note, action, onSend, children }: PopupFormProps) {
  const [isOpen, setIsOpen] = useState(false);
  const act = useAct(onSend, () => setIsOpen(false));
  const turn = (next: boolean) => {
    act.reset();
    setIsOpen(next);
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={turn}>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
          <Popover.Popup className="popup popup-form">
            <form onSubmit={send}>
              <Popover.Title>{title}</Popover.Title>
              {note && <Popover.Description className="soft">{note}</Popover.Description>}
              {children}
              <ErrorNotice error={act.error} />
              <div className="confirm-buttons">
                <Popover.Close render={<Button>Cancel</Button>} />
                <Button look="primary" type="submit" disabled={act.isPending}>
                  {action}
                </Button>
              </div>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
