import { Command } from 'commander';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface KeyFlags extends RemoteFlags {
  account?: string;
}

/** `svc-emulator keys create`: one more key of an account, shown once. */
export function keysCommand(): Command {
  const create = remoteCommand('create', 'make one more API key and show it, once')
    .option('--account <id>', 'the account it speaks for (default: the first one)')
    .action(createKey);
  return new Command('keys').description('API keys of a running emulator').addCommand(create);
}

async function createKey(flags: KeyFlags): Promise<void> {
  const made = await withEmulator(flags, async (control) => {
    const account = flags.account ?? (await control.list<{ id: string }>('/accounts')).at(-1)?.id;
    return control.post<{ id: string; api_key: string }>(`/accounts/${account}/keys`);
  });
  print(flags, made, made.api_key);
}
