import { it } from 'vitest';
import { sampleOf } from '../../support/sample.ts';
import { expectTold, type Row } from './rows.ts';
import { deletion, failedSong, files, type Story, song } from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

/** The same story, of whose events fewer come under the lie. */
function silent(story: Story): Story {
  return (teller) => {
    if (teller.isLiedTo) teller.silent = 0;
    return story(teller);
  };
}

const ROWS: Row[] = [
  { lie: 'event.none', story: silent(song), differs: ['events'] },
  {
    lie: 'event.failed_as_done',
    story: failedSong,
    differs: [
      'events.0.body.type',
      'events.0.body.data.error',
      'events.1.body.type',
      'events.1.body.data.error',
      'events.',
    ],
  },
  {
    lie: 'event.done_as_failed',
    story: song,
    differs: ['events.0.body.type', 'events.0.body.data', 'events.1.body.type', 'events.1.body.data'],
  },
  { lie: 'event.other_job', story: song, differs: ['events.0.body.data.id', 'events.1.body.data.id'] },
  {
    lie: 'event.takes_swapped',
    story: song,
    differs: [
      'events.0.body.data.take',
      'events.0.body.data.seed',
      'events.1.body.data.take',
      'events.1.body.data.seed',
    ],
  },
  { lie: 'event.no_error', story: failedSong, differs: ['events.0.body.data.error', 'events.1.body.data.error'] },
  {
    lie: 'job.for_ever',
    story: song,
    differs: ['take 1.body', 'take 2.body', 'take 1 again.body', 'take 2 again.body'],
  },
  {
    lie: 'job.no_url',
    story: song,
    differs: [
      'take 1.body.result_url',
      'take 2.body.result_url',
      'take 1 again.body.result_url',
      'take 2 again.body.result_url',
    ],
  },
  {
    lie: 'job.new_status',
    story: failedSong,
    differs: ['take 1.body.status', 'take 2.body.status', 'take 1 again.body.status', 'take 2 again.body.status'],
  },
  { lie: 'job.back', story: song, differs: ['take 1 again.body', 'take 2 again.body'] },
  { lie: 'job.404', story: song, differs: ['take 1.', 'take 2.', 'take 1 again.', 'take 2 again.'] },
  { lie: '202.one_job', story: song, differs: ['order.body.data.1'] },
  { lie: '202.swapped', story: song, differs: ['order.body.data.0', 'order.body.data.1'] },
  { lie: '202.as_200', story: song, differs: ['order.status', 'order.body'] },
  {
    lie: 'seed.same',
    story: song,
    differs: ['order.body.data.1.seed', 'take 2.body.seed', 'take 2 again.body.seed', 'events.'],
  },
  { lie: 'list.cut', story: files, differs: ['list.body.data.20', 'list.body.data.21'] },
  { lie: 'delete.kept', story: deletion, differs: ['file.'], told: { 'file/status': 200 }, lied: true },
];

it.each(sampleOf(ROWS, 6))('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
