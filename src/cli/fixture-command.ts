import type { Command } from 'commander';
import type { ControlConnection } from '../client/control-connection.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { jsonOf, resourceCommand, type Shown } from './resource-command.ts';

const lineOf = ({ id, match, file }: Shown) => `${id}  ${JSON.stringify(match)}${file ? `  ${file}` : ''}`;

/** `svc-emulator fixture add|list|show|remove`: scripted answers of a running emulator. */
export function fixtureCommand(): Command {
  return resourceCommand('fixture', 'scripted answers of a running emulator', [
    {
      verb: 'add',
      description: 'add scripted answers before those there are',
      argument: ['<file>', 'a file of them, or their JSON'],
      act: async (control, { name }) => {
        const { data } = await control.post<{ data: Shown[] }>('/fixtures', jsonOf(name, 'The file'));
        return data;
      },
      line: lineOf,
    },
    {
      verb: 'list',
      description: 'scripted answers, in the order in which they are asked',
      act: (control) => control.list<Shown>('/fixtures'),
      line: lineOf,
    },
    {
      verb: 'show',
      description: 'one of them, whole',
      argument: ['<id>', 'its id'],
      act: find,
      line: (fixture) => JSON.stringify(fixture, null, 2),
    },
    {
      verb: 'remove',
      description: 'take all of them away that were added',
      act: async (control) => {
        await control.delete('/fixtures');
        return { removed: 'all' };
      },
      line: () => 'Removed what was added; the files of --fixtures stay.',
    },
  ]);
}

async function find(control: ControlConnection, { name }: { name: string }): Promise<Shown> {
  const found = (await control.list<Shown>('/fixtures')).find(({ id }) => id === name);
  if (found) return found;
  throw new CommandEnd(
    EXIT.failure,
    `There is no fixture ${JSON.stringify(name)}; svc-emulator fixture list shows those there are.`,
  );
}
