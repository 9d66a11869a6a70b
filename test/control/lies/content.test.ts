import { it } from 'vitest';
import { sampleOf } from '../../support/sample.ts';
import { expectTold, type Row } from './rows.ts';
import { chat, image, signed, song, songFiles, speech, streamed, upload } from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

const ROWS: Row[] = [
  { lie: 'file.other_take', story: songFiles, differs: ['sound 2'] },
  { lie: 'file.cut', story: songFiles, differs: ['file 1.body.bytes', 'file 2.body.bytes', 'sound 1', 'sound 2'] },
  { lie: 'file.cut', story: speech, differs: ['speech.body'] },
  { lie: 'file.page', story: speech, differs: ['speech.headers.content-type', 'speech.body'] },
  {
    lie: 'file.page',
    story: signed,
    match: { content_type: 'image/' },
    differs: ['read.headers.content-type', 'read.body'],
  },
  { lie: 'file.short', story: songFiles, differs: ['file 1.body', 'file 2.body', 'sound 1', 'sound 2'] },
  { lie: 'file.small', story: signed, differs: ['read.body'] },
  { lie: 'file.small', story: image, differs: ['image.body.data.0.b64_json'] },
  { lie: 'duration.asked', story: song, differs: ['take 1.body.duration', 'take 1 again.body.duration', 'take 2'] },
  { lie: 'bytes.wrong', story: upload, differs: ['upload.body.bytes'] },
  { lie: 'b64.cut', story: image, differs: ['image.body.data.0.b64_json'] },
  { lie: 'lyrics.other', story: song, differs: ['order.body.lyrics', 'order.body.data.', 'take 1', 'take 2'] },
  { lie: 'model.other', story: chat, differs: ['chat.body.model'], told: { 'chat/body/model': 'svc-rp-plus' } },
  { lie: 'chat.empty', story: chat, differs: ['chat.body.choices.0.message.content'] },
  { lie: 'chat.empty', story: streamed, differs: ['stream'] },
  { lie: 'chat.cut_as_stop', story: chat, differs: ['chat.body.choices.0.message.content'] },
  { lie: 'chat.cut_as_stop', story: streamed, differs: ['stream'] },
  { lie: 'chat.markup', story: chat, differs: ['chat.body.choices.0.message.content'] },
  { lie: 'chat.markup', story: streamed, differs: ['stream'] },
  { lie: 'stream.delta_twice', story: streamed, differs: ['stream'] },
  { lie: 'stream.no_usage', story: streamed, differs: ['stream.'] },
];

it.each(sampleOf(ROWS, 7))('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
