import type { Command } from 'commander';
import { jsonOf, oneOf, resourceCommand, type Shown } from './resource-command.ts';

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
      act: (control, { name }) => oneOf(control, { path: '/fixtures', name, what: 'fixture' }),
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
