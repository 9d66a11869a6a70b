import type { Command } from 'commander';
import { numberOf, resourceCommand, type Shown } from './resource-command.ts';

const lineOf = ({ id, plan, role, credits, name }: Shown) =>
  `${id}  ${plan} ${role}  ${credits} credits  ${name ?? ''}`;

/** `svc-emulator account add|list|show`: accounts of a running emulator. */
export function accountCommand(): Command {
  return resourceCommand('account', 'accounts of a running emulator', [
    {
      verb: 'add',
      description: 'open an account; its key is shown once',
      flags: [
        ['--name <name>', 'what it is called'],
        ['--plan <plan>', 'payg, hobby, creator or studio'],
        ['--role <role>', 'owner, admin or member'],
        ['--credits <number>', 'its balance (default: 50)'],
        ['--workspace <id>', 'the workspace that it joins (default: one of its own)'],
      ],
      act: (control, { flags }) => {
        const { name, plan, role, workspace } = flags;
        return control.post('/accounts', {
          name,
          plan,
          role,
          workspace_id: workspace,
          credits: numberOf(flags, 'credits'),
        });
      },
      line: ({ id, api_key: key }) => `${id}  ${key}`,
    },
    {
      verb: 'list',
      description: 'accounts, newest first',
      act: (control) => control.list<Shown>('/accounts'),
      line: lineOf,
    },
    {
      verb: 'show',
      description: 'one account',
      argument: ['<id>', 'its id'],
      act: (control, { name }) => control.get(`/accounts/${encodeURIComponent(name)}`),
      line: lineOf,
    },
  ]);
}
