import { Popover } from '@base-ui/react/popover';
import type { LucideIcon } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useAct } from '../data/queries.ts';
import { type Draft, type FieldSpec, FormFields } from './form-fields.tsx';
import { Button, ErrorNotice, OfService } from './page-parts.tsx';
import { say } from './toast.tsx';

interface PopupFormProps {
  /** What the button says that opens it. */
  text: string;
  icon?: LucideIcon;
  look?: 'plain' | 'primary';
  title?: string;
  note?: string | ((draft: Draft) => string | undefined);
  /** What the button says that sends it. */
  action: string;
  /** As they are after what was changed so far. */
  fields: readonly FieldSpec[] | ((draft: Draft) => readonly FieldSpec[]);
  /** Sends what every field holds; the form closes when it is done, and says what went wrong otherwise. */
  send: (draft: Draft) => Promise<unknown>;
  /** Said when it is done. */
  said?: string | ((draft: Draft) => string);
}

/** A small form beside the button that opens it. */
export function PopupForm(props: PopupFormProps) {
  return (
    <OfService>
      <OpenablePopup {...props} />
    </OfService>
  );
}

function OpenablePopup({ text, icon: Icon, look, title = text, note, action, fields, send, said }: PopupFormProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [draft, setDraft] = useState<Draft>({});
  const specs = typeof fields === 'function' ? fields(draft) : fields;
  const whole = Object.fromEntries(specs.map(({ name, value = '' }) => [name, draft[name] ?? value]));
  const act = useAct(
    () => send(whole),
    () => {
      if (said) say(typeof said === 'string' ? said : said(whole), undefined, 'good');
      turn(false);
    },
  );
  const turn = (next: boolean) => {
    act.reset();
    setDraft({});
    setIsOpen(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  const told = typeof note === 'function' ? note(draft) : note;
  return (
    <Popover.Root open={isOpen} onOpenChange={turn}>
      <Popover.Trigger
        render={
          <Button look={look ?? 'plain'} icon={Icon && <Icon aria-hidden />}>
            {text}
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
          <Popover.Popup className="popup popup-form">
            <form className="stack" onSubmit={submit}>
              <Popover.Title>{title}</Popover.Title>
              {told && <Popover.Description className="soft">{told}</Popover.Description>}
              <FormFields fields={specs} draft={draft} onChange={setDraft} error={act.error} />
              <ErrorNotice error={act.error} />
              <div className="row">
                <span className="grow" />
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
