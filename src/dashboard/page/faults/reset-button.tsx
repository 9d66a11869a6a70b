import { RotateCcw } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { sayError } from '../pieces/toast.tsx';

/** Back to the seeded state. */
export function ResetButton() {
  const reset = useAct(() => callControl('POST', '/reset'));
  return (
    <Confirm
      trigger={
        <Button icon={<RotateCcw aria-hidden />} disabled={reset.isPending}>
          Reset
        </Button>
      }
      title="Reset the emulator?"
      note="Accounts, money, jobs, files, flows, faults and clock go back to the seeded state. Snapshots stay."
      action="Reset"
      onConfirm={() => reset.mutate(undefined, { onError: sayError })}
    />
  );
}
