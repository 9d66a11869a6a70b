import type { ControlConnection } from '../control/control-connection.ts';
import { jsonOf, type Shown, type Verb, type VerbGroup } from './resource-command.ts';
import { asJson, FIXTURE, ID } from './steering-verbs.ts';

/** The first account that the emulator made, where a flag names none. */
async function firstAccount(control: ControlConnection) {
  return (await control.call('listAccounts')).data.at(-1);
}

const accountLine = ({ id, plan, role, credits, name }: Shown) =>
  `${id}  ${plan} ${role}  ${credits} credits  ${name ?? ''}`;

const ACCOUNT: readonly Verb[] = [
  {
    verb: 'add',
    description: 'open an account; its key is shown once',
    operation: 'createAccount',
    flags: [
      ['--name <name>', 'what it is called'],
      ['--plan <plan>', 'payg, hobby, creator or studio'],
      ['--role <role>', 'owner, admin or member'],
      ['--credits <number>', 'its balance (default: 50)'],
      ['--workspace <id>', 'the workspace that it joins (default: one of its own)', 'workspace_id'],
    ],
    line: ({ id, api_key: key }) => `${id}  ${key}`,
  },
  { verb: 'list', description: 'accounts, newest first', operation: 'listAccounts', line: accountLine },
  { verb: 'show', description: 'one account', operation: 'showAccount', argument: ID, line: accountLine },
];

const KEYS: readonly Verb[] = [
  {
    verb: 'create',
    description: 'make one more API key and show it, once',
    operation: 'addKey',
    flags: [['--account <id>', 'the account it speaks for (default: the first one)']],
    input: async ({ flags }, control) => ({ id: flags.account ?? (await firstAccount(control))?.id }),
    line: ({ api_key: key }) => String(key),
  },
];

const snapshotName = ['<name>', '1 to 64 letters, digits, dots, dashes and underscores'] as const;

const SNAPSHOT: readonly Verb[] = [
  {
    verb: 'save',
    description: 'keep the whole state under a name',
    operation: 'saveSnapshot',
    argument: snapshotName,
    answer: ({ name }) => ({ name }),
    line: ({ name }) => `Saved as ${name}; svc-emulator snapshot load ${name} goes back to it.`,
    progress: 'snapshot save',
  },
  {
    verb: 'load',
    description: 'go back to what was saved',
    operation: 'restoreSnapshot',
    argument: snapshotName,
    answer: ({ name }) => ({ name }),
    line: ({ name }) => `Back at ${name}.`,
    progress: 'snapshot load',
  },
  {
    verb: 'remove',
    description: 'forget what was saved',
    operation: 'removeSnapshot',
    argument: snapshotName,
    line: ({ name }) => `Removed ${name}.`,
    progress: 'snapshot remove',
  },
  {
    verb: 'list',
    description: 'what was saved, newest first',
    operation: 'listSnapshots',
    line: ({ name, created }) => `${created}  ${name}`,
  },
];

const flowLine = ({ id, name, hook_url: hook }: Shown) => `${id}  ${name}  ${hook}`;
const runLine = ({ id, status, credits }: Shown) => `${id}  ${status}  ${credits ?? 0} credits`;

const FLOW: readonly Verb[] = [
  {
    verb: 'add',
    description: 'make a flow',
    operation: 'createFlow',
    argument: ['<file>', 'a file with its name and steps, or their JSON'],
    flags: [
      ['--workspace <id>', 'the workspace it belongs to (default: the first one)'],
      ['--account <id>', "the account that pays (default: the workspace's owner)"],
    ],
    input: async ({ name, flags }, control) => {
      const workspace = flags.workspace ?? (await firstAccount(control))?.workspace_id;
      return { workspace_id: workspace, account_id: flags.account, ...jsonOf(name, 'The file') };
    },
    line: flowLine,
  },
  { verb: 'list', description: 'flows, newest first', operation: 'listFlows', line: flowLine },
  { verb: 'show', description: 'one flow, whole', operation: 'showFlow', argument: ID, line: asJson },
  {
    verb: 'remove',
    description: 'take a flow away',
    operation: 'removeFlow',
    argument: ID,
    line: ({ id }) => `Removed ${id}.`,
  },
  {
    verb: 'run',
    description: 'start a run of a flow',
    operation: 'startRun',
    argument: ['<id>', "the flow's id"],
    flags: [['--inputs <json>', 'its inputs: a JSON object, or the path of a file that holds one']],
    line: runLine,
  },
  {
    verb: 'click',
    description: 'answer a run that waits on a post',
    operation: 'clickRun',
    argument: ['<run>', "the run's id"],
    flags: [['--reject', 'reject it instead of approving it']],
    input: ({ name, flags }) => ({ id: name, choice: flags.reject ? 'reject' : 'approve' }),
    line: runLine,
  },
  {
    verb: 'cancel',
    description: 'end a run',
    operation: 'cancelRun',
    argument: ['<run>', "the run's id"],
    line: runLine,
  },
];

/** The commands of what the emulator keeps, by their names. */
export const RESOURCE_VERBS = {
  account: { description: 'accounts of a running emulator', verbs: ACCOUNT },
  keys: { description: 'API keys of a running emulator', verbs: KEYS },
  snapshot: { description: 'save and restore the whole state of a running emulator', verbs: SNAPSHOT },
  fixture: { description: 'scripted answers of a running emulator', verbs: FIXTURE },
  flow: { description: 'flows of a running emulator', verbs: FLOW },
} satisfies Record<string, VerbGroup>;
