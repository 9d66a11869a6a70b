import { Send } from 'lucide-react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { PageStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { Drawer, type DrawerOf } from '../pieces/drawer.tsx';
import { FieldsForm, PopupForm } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { type Endpoint, EVENT_TYPES, type EventType } from './webhook-records.ts';

const URL_FIELD: FieldSpec = {
  ...{ name: 'url', label: 'URL', type: 'text', placeholder: 'http://localhost:3000/events' },
  note: 'An https URL of a public host, or any URL of this machine.',
};
const EVENTS: FieldSpec = {
  ...{ name: 'events', label: 'Events', type: 'checks', options: EVENT_TYPES.map((type) => [type]) },
  value: EVENT_TYPES.join(' '),
};

/** Makes an endpoint of the chosen account's workspace, and shows its secret. */
export function EndpointForm({ onClose, onOpen }: DrawerOf) {
  const { account } = useAccounts();
  const { data: flows = [] } = useList<{ id: string; name: string; workspace_id: string }>('/flows');
  const workspace_id = account?.workspace_id;
  const own = flows.filter((flow) => flow.workspace_id === workspace_id);
  const options = [['', 'Any flow'], ...own.map(({ id, name }) => [id, name])];
  const runs: FieldSpec = { name: 'flow_id', label: 'Runs of', type: 'options', options };
  const fieldsOf = ({ events = EVENTS.value ?? '' }: Draft) =>
    events.includes('flow.') ? [URL_FIELD, EVENTS, runs] : [URL_FIELD, EVENTS];
  const make = ({ url = '', events = '', flow_id }: Draft) => {
    const order = { url: url.trim(), events: events.split(' '), flow_id: flow_id || null, workspace_id };
    return callControl<Endpoint & { secret: string }>('POST', '/endpoints', order);
  };
  const made = ({ id, secret }: Endpoint & { secret: string }) => {
    keepSecret(id, secret);
    onOpen(id);
  };
  return (
    <Drawer label="New endpoint" title="New endpoint" onClose={onClose}>
      <FieldsForm
        {...{ fields: fieldsOf, send: make, done: made, action: 'Make the endpoint' }}
        disabledReason={({ url, events }) => url === '' || events === ''}
      />
    </Drawer>
  );
}

/** Secrets of the endpoints that were made on this page, by id: they are answered only once, and a reload forgets them. */
export const knownSecrets = new PageStore<Readonly<Record<string, string>>>({});

export function keepSecret(endpointId: string, secret: string): void {
  knownSecrets.set({ ...knownSecrets.value, [endpointId]: secret });
}

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
