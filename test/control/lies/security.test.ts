import { it } from 'vitest';
import { expectTold, type Row } from './rows.ts';
import { files, revoked, signed, song } from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

const ROWS: Row[] = [
  {
    lie: 'hook.unsigned',
    story: song,
    differs: ['events.0.signed', 'events.1.signed', 'events.0.proof', 'events.1.proof'],
  },
  { lie: 'hook.other_secret', story: song, differs: ['events.0.proof', 'events.1.proof'] },
  { lie: 'hook.altered', story: song, differs: ['events.'] },
  { lie: 'hook.old', story: song, differs: ['events.0.proof', 'events.1.proof'] },
  { lie: 'key.any', story: revoked, differs: ['revoked'], lied: true },
  {
    lie: 'list.foreign',
    story: files,
    differs: ['list.body.data.22', 'page.body.data.2'],
  },
  { lie: 'url.any_signature', story: signed, differs: ['altered.'], told: { 'altered/status': 200 } },
];

it.each(ROWS)('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
