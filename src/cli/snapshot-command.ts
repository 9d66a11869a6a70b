import { Command } from 'commander';
import type { ControlConnection } from '../client/control-connection.ts';
import { withProgress } from './progress-bar.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface SnapshotView {
  name: string;
  created: string;
}

/** `svc-emulator snapshot save|load|list|remove`: the whole state by name. */
export function snapshotCommand(): Command {
  return new Command('snapshot')
    .description('save and restore the whole state of a running emulator')
    .addCommand(named('save', 'keep the whole state under a name', save))
    .addCommand(named('load', 'go back to what was saved', load))
    .addCommand(named('remove', 'forget what was saved', remove))
    .addCommand(remoteCommand('list', 'what was saved, newest first').action(list));
}

type Act = (control: ControlConnection, name: string) => Promise<string>;

function named(verb: string, description: string, act: Act): Command {
  return remoteCommand(verb, description)
    .argument('<name>', '1 to 64 letters, digits, dots, dashes and underscores')
    .action(async (name: string, flags: RemoteFlags) => {
      const work = () => withEmulator(flags, (control) => act(control, name));
      const line = await withProgress(`snapshot ${verb}`, work);
      print(flags, { name }, line);
    });
}

async function save(control: ControlConnection, name: string): Promise<string> {
  await control.post('/snapshots', { name });
  return `Saved as ${name}; svc-emulator snapshot load ${name} goes back to it.`;
}

async function load(control: ControlConnection, name: string): Promise<string> {
  await control.post(`/snapshots/${encodeURIComponent(name)}/restore`);
  return `Back at ${name}.`;
}

async function remove(control: ControlConnection, name: string): Promise<string> {
  await control.delete(`/snapshots/${encodeURIComponent(name)}`);
  return `Removed ${name}.`;
}

async function list(flags: RemoteFlags): Promise<void> {
  const snapshots = await withEmulator(flags, (control) => control.list<SnapshotView>('/snapshots'));
  print(flags, snapshots, ...snapshots.map(({ name, created }) => `${created}  ${name}`));
}
