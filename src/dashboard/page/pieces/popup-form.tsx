import { Popover } from '@base-ui/react/popover';
import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { FieldsForm, type FieldsFormProps } from './fields-form.tsx';
import type { Draft } from './form-field.tsx';
import { Button, OfService } from './page-parts.tsx';
import { say } from './toast.tsx';

interface PopupFormProps extends Pick<FieldsFormProps<unknown>, 'fields' | 'send' | 'action'> {
  /** What the button says that opens it. */
  text: string;
  icon?: LucideIcon;
  look?: 'plain' | 'primary';
  title?: string;
  note?: string | ((draft: Draft) => string | undefined);
  /** Said when it is done. */
  said?: string | ((draft: Draft) => string);
}

/** A small form beside the button that opens it; it closes when it is done, and says what went wrong otherwise. */
export function PopupForm({ text, icon, look, title = text, note, said, send, ...form }: PopupFormProps) {
  const [isOpen, setIsOpen] = useState(false);
  const told = (draft: Draft) => {
    const words = typeof note === 'function' ? note(draft) : note;
    return (
      <>
        <Popover.Title>{title}</Popover.Title>
        {words && <Popover.Description className="soft">{words}</Popover.Description>}
      </>
    );
  };
  const done = async (draft: Draft) => {
    await send(draft);
    if (said) say(typeof said === 'string' ? said : said(draft), undefined, 'good');
    setIsOpen(false);
  };
  return (
    <OfService>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger render={<Button {...{ look, icon }}>{text}</Button>} />
        <Popover.Portal>
          <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
            <Popover.Popup className="popup popup-form">
              <FieldsForm
                {...form}
                send={done}
                before={told}
                beside={<Popover.Close render={<Button text="Cancel" />} />}
              />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </OfService>
  );
}
