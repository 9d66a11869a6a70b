import { Menu } from '@base-ui/react/menu';
import { Send } from 'lucide-react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { useAct } from '../data/queries.ts';
import { Button, OfService } from '../pieces/page-parts.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { EVENT_TYPES, type EventType } from './sent-records.ts';

const ALL = `All ${EVENT_TYPES.length} of them`;

interface SendSampleProps {
  /** Which types are offered; all of them without it. */
  types?: readonly EventType[];
}

/** Makes up an event of a type, and sends it on the way of the real ones. */
export function SendSample({ types = EVENT_TYPES }: SendSampleProps) {
  const { account } = useAccounts();
  const [, navigate] = useLocation();
  const send = useAct(async (wanted: readonly EventType[]) => {
    const ids: string[] = [];
    for (const type of wanted) {
      const order = { type, workspace_id: account?.workspace_id };
      ids.push((await callControl<{ id: string }>('POST', '/events/trigger', order)).id);
    }
    return ids;
  });
  const sendAll = (wanted: readonly EventType[]) =>
    send.mutate(wanted, {
      onError: sayError,
      onSuccess: ([id]) => {
        say(wanted.length === 1 ? `Sent a sample of ${wanted[0]}` : `Sent ${wanted.length} samples`);
        if (id !== undefined && wanted.length === 1) navigate(at.trail(id));
      },
    });
  return (
    <OfService>
      <Menu.Root>
        <Menu.Trigger
          render={
            <Button icon={Send} disabled={send.isPending}>
              Send a sample
            </Button>
          }
        />
        <Menu.Portal>
          <Menu.Positioner className="popup-layer" sideOffset={4} align="end">
            <Menu.Popup className="popup">
              {types.map((type) => (
                <Menu.Item key={type} className="option" onClick={() => sendAll([type])}>
                  {type}
                </Menu.Item>
              ))}
              {types.length === EVENT_TYPES.length && (
                <Menu.Item className="option" onClick={() => sendAll(EVENT_TYPES)}>
                  {ALL}
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </OfService>
  );
}
