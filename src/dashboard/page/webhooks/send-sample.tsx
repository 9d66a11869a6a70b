import { Send } from 'lucide-react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { PopupForm } from '../pieces/popup-form.tsx';
import { EVENT_TYPES, type EventType } from './sent-records.ts';

const ALL = ['all', `All ${EVENT_TYPES.length} of them`];

/** Makes up an event of one of these types, and sends it on the way of the real ones. */
export function SendSample({ types = EVENT_TYPES }: { types?: readonly EventType[] }) {
  const { account } = useAccounts();
  const [, navigate] = useLocation();
  const options = [...types.map((type) => [type]), ...(types.length === EVENT_TYPES.length ? [ALL] : [])];
  const send = async ({ type: chosen = '' }) => {
    const wanted = chosen === 'all' ? EVENT_TYPES : [chosen];
    const ids: string[] = [];
    for (const type of wanted) {
      const order = { type, workspace_id: account?.workspace_id };
      ids.push((await callControl<{ id: string }>('POST', '/events/trigger', order)).id);
    }
    if (ids.length === 1) navigate(at.trail(ids[0]));
  };
  return (
    <PopupForm
      {...{ text: 'Send a sample', icon: Send, action: 'Send it', send }}
      fields={[{ name: 'type', label: 'Event', type: 'options', options, value: types[0] }]}
      said={({ type }) => (type === 'all' ? `Sent ${types.length} samples` : `Sent a sample of ${type}`)}
    />
  );
}
