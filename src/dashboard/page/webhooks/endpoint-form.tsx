import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { PageStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useAct, useList } from '../data/queries.ts';
import { Drawer } from '../pieces/drawer.tsx';
import { type Draft, type FieldSpec, FormFields } from '../pieces/form-fields.tsx';
import { Button, ErrorNotice } from '../pieces/page-parts.tsx';
import { type Endpoint, EVENT_TYPES } from './sent-records.ts';

const URL_FIELD: FieldSpec = {
  ...{ name: 'url', label: 'URL', type: 'text', placeholder: 'http://localhost:3000/events' },
  note: 'An https URL of a public host, or any URL of this machine.',
};
const EVENTS: FieldSpec = {
  ...{ name: 'events', label: 'Events', type: 'checks', options: EVENT_TYPES.map((type) => [type]) },
  value: EVENT_TYPES.join(' '),
};

/** Makes an endpoint of the chosen account's workspace, and shows its secret. */
export function EndpointForm({ onClose }: { onClose: () => void }) {
  const { account } = useAccounts();
  const { data: flows = [] } = useList<{ id: string; name: string; workspace_id: string }>('/flows');
  const [draft, onChange] = useState<Draft>({});
  const [, navigate] = useLocation();
  const { url = '', events = EVENTS.value ?? '', flow_id = '' } = draft;
  const hearsOfRuns = events.includes('flow.');
  const order = {
    url: url.trim(),
    events: events.split(' '),
    flow_id: hearsOfRuns && flow_id !== '' ? flow_id : null,
    workspace_id: account?.workspace_id,
  };
  const make = useAct(
    () => callControl<Endpoint & { secret: string }>('POST', '/endpoints', order),
    ({ id, secret }) => {
      keepSecret(id, secret);
      navigate(at.webhooks(id));
    },
  );
  const own = flows.filter(({ workspace_id }) => workspace_id === account?.workspace_id);
  const options = [['', 'Any flow'], ...own.map(({ id, name }) => [id, name])];
  const runs: FieldSpec = { name: 'flow_id', label: 'Runs of', type: 'options', options };
  const send = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(undefined);
  };
  return (
    <Drawer label="New endpoint" title="New endpoint" onClose={onClose}>
      <form className="form stack" onSubmit={send}>
        <FormFields
          fields={hearsOfRuns ? [URL_FIELD, EVENTS, runs] : [URL_FIELD, EVENTS]}
          {...{ draft, onChange, error: make.error }}
        />
        <ErrorNotice error={make.error} />
        <Button type="submit" look="primary" disabled={url === '' || events === ''}>
          Make the endpoint
        </Button>
      </form>
    </Drawer>
  );
}

/** Secrets of the endpoints that were made on this page, by id: nobody tells them again, and a reload forgets them. */
export const knownSecrets = new PageStore<Readonly<Record<string, string>>>({});

export function keepSecret(endpointId: string, secret: string): void {
  knownSecrets.set({ ...knownSecrets.value, [endpointId]: secret });
}
