import type { Command } from 'commander';
import { jsonOf, resourceCommand, type Shown, type Verb } from './resource-command.ts';

const lineOf = ({ id, name, hook_url: hook }: Shown) => `${id}  ${name}  ${hook}`;
const runLine = ({ id, status, credits }: Shown) => `${id}  ${status}  ${credits ?? 0} credits`;

const VERBS: readonly Verb[] = [
  {
    verb: 'add',
    description: 'make a flow',
    argument: ['<file>', 'a file with its name and steps, or their JSON'],
    flags: [
      ['--workspace <id>', 'the workspace it belongs to (default: the first one)'],
      ['--account <id>', "the account that pays (default: the workspace's owner)"],
    ],
    act: async (control, { name, flags }) => {
      const first = async () => (await control.list<Shown>('/accounts')).at(-1)?.workspace_id;
      const whose = { workspace_id: flags.workspace ?? (await first()), account_id: flags.account };
      return control.post('/flows', { ...whose, ...jsonOf(name, 'The file') });
    },
    line: lineOf,
  },
  { verb: 'list', description: 'flows, newest first', act: (control) => control.list<Shown>('/flows'), line: lineOf },
  {
    verb: 'show',
    description: 'one flow, whole',
    argument: ['<id>', 'its id'],
    act: (control, { name }) => control.get(`/flows/${encodeURIComponent(name)}`),
    line: (flow) => JSON.stringify(flow, null, 2),
  },
  {
    verb: 'remove',
    description: 'take a flow away',
    argument: ['<id>', 'its id'],
    act: async (control, { name }) => {
      await control.delete(`/flows/${encodeURIComponent(name)}`);
      return { id: name };
    },
    line: ({ id }) => `Removed ${id}.`,
  },
  {
    verb: 'run',
    description: 'start a run of a flow',
    argument: ['<id>', "the flow's id"],
    flags: [['--inputs <json>', 'its inputs: a JSON object, or the path of a file that holds one']],
    act: (control, { name, flags }) => {
      const inputs = flags.inputs ? jsonOf(String(flags.inputs), '--inputs') : {};
      return control.post(`/flows/${encodeURIComponent(name)}/runs`, { inputs });
    },
    line: runLine,
  },
  {
    verb: 'click',
    description: 'answer a run that waits on a post',
    argument: ['<run>', "the run's id"],
    flags: [['--reject', 'reject it instead of approving it']],
    act: (control, { name, flags }) =>
      control.post(`/runs/${encodeURIComponent(name)}/click`, { choice: flags.reject ? 'reject' : 'approve' }),
    line: runLine,
  },
  {
    verb: 'cancel',
    description: 'end a run',
    argument: ['<run>', "the run's id"],
    act: (control, { name }) => control.post(`/runs/${encodeURIComponent(name)}/cancel`),
    line: runLine,
  },
];

/** `svc-emulator flow add|list|show|remove|run|click|cancel`: flows of a running emulator. */
export function flowCommand(): Command {
  return resourceCommand('flow', 'flows of a running emulator', VERBS);
}
