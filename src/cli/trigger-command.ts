import type { Command } from 'commander';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface TriggerFlags extends RemoteFlags {
  workspace?: string;
  data?: string;
}

/** `svc-emulator trigger TYPE`: a made-up event on the way of the real ones. */
export function triggerCommand(): Command {
  return remoteCommand('trigger', 'send a made-up event to the webhook endpoints that want it')
    .argument('<type>', 'an event type, such as music.generation.succeeded')
    .option('--workspace <id>', 'the workspace whose endpoints hear of it (default: the first one)')
    .option('--data <json>', 'the data of the event (default: that of an example)')
    .action(trigger);
}

async function trigger(type: string, flags: TriggerFlags): Promise<void> {
  const order = { type, workspace_id: flags.workspace, data: dataOf(flags.data) };
  const event = await withEmulator(flags, (control) => control.post<{ id: string }>('/events/trigger', order));
  print(flags, event, event.id);
}

function dataOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandEnd(
      EXIT.wrongUse,
      `--data is ${JSON.stringify(text.slice(0, 80))}; expected a JSON object, such as '{"id":"job_1"}'.`,
    );
  }
}
