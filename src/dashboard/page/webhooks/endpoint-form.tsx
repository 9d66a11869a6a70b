import { useState } from 'react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { ChoiceField } from '../pieces/choice-field.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { keepSecret } from './known-secrets.ts';
import { type Endpoint, EVENT_TYPES, type EventType } from './sent-records.ts';

interface Order {
  url: string;
  events: EventType[];
  flow_id: string | null;
  workspace_id: string | undefined;
}

/** Makes an endpoint of the chosen account's workspace, and shows its secret. */
export function EndpointForm({ onClose }: { onClose: () => void }) {
  const { account } = useAccounts();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventType[]>(EVENT_TYPES);
  const [flowId, setFlowId] = useState('');
  const [, navigate] = useLocation();
  const make = useAct(
    (order: Order) => callControl<Endpoint & { secret: string }>('POST', '/endpoints', order),
    ({ id, secret }) => {
      keepSecret(id, secret);
      navigate(at.webhooks(id));
    },
  );
  const hearsOfRuns = events.some((type) => type.startsWith('flow.'));
  const order: Order = {
    url: url.trim(),
    events: EVENT_TYPES.filter((type) => events.includes(type)),
    flow_id: hearsOfRuns && flowId !== '' ? flowId : null,
    workspace_id: account?.workspace_id,
  };
  return (
    <Drawer label="New endpoint" title="New endpoint" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate(order);
        }}
      >
        <FormField
          label="URL"
          name="url"
          error={make.error}
          note="An https URL of a public host, or any URL of this machine."
        >
          <input
            className="input mono"
            inputMode="url"
            placeholder="http://localhost:3000/events"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        </FormField>
        <EventChoice chosen={events} onChange={setEvents} />
        {hearsOfRuns && <FlowChoice value={flowId} onChange={setFlowId} />}
        <ErrorNotice error={make.error} />
        <div>
          <Button type="submit" look="primary" disabled={url === '' || events.length === 0}>
            Make the endpoint
          </Button>
        </div>
      </form>
    </Drawer>
  );
}

interface EventChoiceProps {
  chosen: readonly EventType[];
  onChange: (chosen: readonly EventType[]) => void;
}

function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const isAll = chosen.length === EVENT_TYPES.length;
  return (
    <fieldset className="hook-checks">
      <legend className="field-label">
        Events
        <Button look="quiet" onClick={() => onChange(isAll ? [] : EVENT_TYPES)}>
          {isAll ? 'None' : 'All'}
        </Button>
      </legend>
      {EVENT_TYPES.map((type) => (
        <label key={type} className="hook-check row">
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))
            }
          />
          <code>{type}</code>
        </label>
      ))}
    </fieldset>
  );
}

function FlowChoice({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { account } = useAccounts();
  const { data: flows = [] } = useList<{ id: string; name: string; workspace_id: string }>('/flows');
  const own = flows.filter(({ workspace_id }) => workspace_id === account?.workspace_id);
  const options = [{ value: '', text: 'Any flow' }, ...own.map(({ id, name }) => ({ value: id, text: name }))];
  return <ChoiceField label="Runs of" value={value} options={options} onChange={onChange} />;
}
