import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { sayError } from '../pieces/toast.tsx';
import type { Flow } from './flow-records.ts';

/** Switches a flow on and off: no run begins of one that is off. */
export function EnabledSwitch({ flow }: { flow: Flow }) {
  const change = useAct((enabled: boolean) => callControl<Flow>('PATCH', `/flows/${flow.id}`, { enabled }));
  const isOn = change.isPending ? change.variables : flow.enabled;
  return (
    <input
      type="checkbox"
      role="switch"
      aria-label={`${flow.name} is on`}
      disabled={recordSource.value !== undefined}
      aria-checked={isOn}
      checked={isOn}
      onChange={({ target }) => change.mutate(target.checked, { onError: sayError })}
      onClick={(event) => event.stopPropagation()}
    />
  );
}
