import type { Command } from 'commander';
import { withProgress } from './progress-bar.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

/** `svc-emulator reset`: back to the seeded state. */
export function resetCommand(): Command {
  return remoteCommand('reset', 'bring a running emulator back to its first state').action(
    async (flags: RemoteFlags) => {
      await withProgress('reset', () => withEmulator(flags, (control) => control.post('/reset')));
      print(flags, { reset: true }, 'Back to the first state; snapshots are kept.');
    },
  );
}
