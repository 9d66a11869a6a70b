import { it } from 'vitest';
import { sampleOf } from '../../support/sample.ts';
import { expectTold, type Row } from './rows.ts';
import { chat, endpoints, files, limited, refusals, song, upload } from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

const ROWS: Row[] = [
  {
    lie: 'field.missing',
    field: 'choices.*.finish_reason',
    story: chat,
    differs: ['chat.body.choices.0.finish_reason'],
  },
  {
    lie: 'field.null',
    field: 'choices',
    story: chat,
    differs: ['chat.body.choices'],
    told: { 'chat/body/choices': null },
  },
  { lie: 'field.text', field: 'bytes', story: upload, differs: ['upload.body.bytes'] },
  {
    lie: 'field.missing',
    field: 'data.seed',
    match: { event: 'music.generation.succeeded' },
    story: song,
    differs: ['events.0.body.data.seed', 'events.1.body.data.seed'],
  },
  {
    lie: 'error.no_code',
    story: refusals,
    differs: ['wrong.body.error.code', 'missing.body.error.code', 'blocked.body.error.code'],
  },
  { lie: 'error.text', story: refusals, differs: ['wrong.body.error', 'missing.body.error', 'blocked.body.error'] },
  {
    lie: 'error.html',
    story: refusals,
    differs: [
      'wrong.body',
      'missing.body',
      'blocked.body',
      'wrong.headers.content-type',
      'missing.headers.content-type',
      'blocked.headers.content-type',
    ],
  },
  {
    lie: 'status.400_as_500',
    story: refusals,
    differs: ['wrong.status', 'blocked.status'],
    told: { 'wrong/status': 500 },
  },
  { lie: 'status.404_as_200', story: refusals, differs: ['missing.status'], told: { 'missing/status': 200 } },
  { lie: 'status.201_as_200', story: endpoints, differs: ['endpoint.status'], told: { 'endpoint/status': 200 } },
  {
    lie: 'blocked.renamed',
    story: refusals,
    differs: ['blocked.body.error.code'],
    told: { 'blocked/body/error/code': 'content_policy' },
  },
  { lie: '429.bare', story: limited, differs: ['limited.headers.retry-after'] },
  {
    lie: '429.date',
    story: limited,
    differs: ['limited.headers.retry-after'],
    told: { 'limited/headers/retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' },
  },
  {
    lie: 'time.ms',
    story: song,
    differs: [
      'order.body.created',
      'order.body.data.0.created',
      'order.body.data.1.created',
      'take 1',
      'take 2',
      'events.0.body.created',
      'events.1.body.created',
    ],
  },
  { lie: 'time.local', story: files, match: { path: '/v1/storage' }, differs: ['list.body.data', 'page.body.data'] },
  { lie: 'list.bare', story: files, differs: ['list.body', 'page.body'] },
  { lie: 'list.oldest', story: endpoints, differs: ['list.body.webhooks'] },
];

it.each(sampleOf(ROWS, 6))('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
