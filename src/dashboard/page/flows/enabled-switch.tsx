import { Switch } from '@base-ui/react/switch';
import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { sayError } from '../pieces/toast.tsx';
import type { Flow } from './flow-records.ts';

/** Switches a flow on and off: no run begins of one that is off. */
export function EnabledSwitch({ flow }: { flow: Flow }) {
  const change = useAct((enabled: boolean) => callControl<Flow>('PATCH', `/flows/${flow.id}`, { enabled }));
  return (
    <Switch.Root
      className="flow-switch"
      aria-label={`${flow.name} is on`}
      readOnly={recordSource.value !== undefined}
      checked={change.isPending ? change.variables : flow.enabled}
      onCheckedChange={(enabled) => change.mutate(enabled, { onError: sayError })}
      onClick={(event) => event.stopPropagation()}
    >
      <Switch.Thumb className="flow-switch-thumb" />
    </Switch.Root>
  );
}
