/** A lie of the stand-in, what is measured while it lies, and how a result of it reads. */
export interface Lied {
  lie: string;
  field?: string;
  /** Operations, or single cases. */
  of: readonly string[];
  path?: string;
  found: string;
}

const CHAT = { of: ['createChatCompletion completes'], path: '/v1/chat' };
const STREAM = { of: ['createChatCompletion streams'], path: '/v1/chat' };
const SONG = { of: ['getSong ends', 'createSong orders', 'getSong file', 'sampleWebhooks take'], path: '/v1/music' };
const OBJECT = { of: ['uploadObject stores', 'listObjects own', 'deleteObject'], path: '/v1/storage' };
const PICTURE = { of: ['createImage draws'], path: '/v1/images' };
const SPEECH = { of: ['createSpeech speaks'], path: '/v1/audio/speech' };
const HOOKS = {
  of: ['createWebhook first', 'listWebhooks own', 'deleteWebhook own', 'sampleWebhooks flow.run.failed'],
  path: '/v1/webhooks',
};
const ACCOUNT = { of: ['getAccount read'], path: '/v1/account' };

/** Of a field that is no text; of `usage` another lie makes texts. */
const missing = (field: string, where: Omit<Lied, 'lie' | 'found' | 'field'>, found: string): Lied[] =>
  (field.startsWith('usage.') || field.endsWith('_reason') ? ['missing', 'null'] : ['missing', 'null', 'text']).map(
    (how) => ({ lie: `field.${how}`, field, ...where, found }),
  );

export const LIED: readonly Lied[] = [
  { lie: 'charge.one_more', ...CHAT, found: 'R123 createChatCompletion price usage.credits_spent' },
  { lie: 'charge.twice', ...CHAT, found: 'R123 createChatCompletion price usage.credits_spent' },
  { lie: 'charge.none', ...CHAT, found: 'R123 createChatCompletion price usage.credits_spent' },
  { lie: 'charge.one_more', ...SONG, found: 'R132 createSong price usage.credits_spent' },
  { lie: 'charge.one_more', ...OBJECT, found: 'R129 uploadObject price usage.credits_spent' },
  { lie: 'charge.one_more', ...PICTURE, found: 'R125 createImage price usage.credits_spent' },
  { lie: 'charge.one_more', ...SPEECH, found: 'R127 createSpeech price usage.credits_spent' },
  { lie: 'spent.zero', ...CHAT, found: 'R123 createChatCompletion price usage.credits_spent' },
  { lie: 'spent.one_more', ...CHAT, found: 'R123 createChatCompletion price usage.credits_spent' },
  { lie: 'remaining.stale', ...CHAT, found: 'R003 createChatCompletion price usage.credits_remaining' },
  { lie: 'remaining.other', ...CHAT, found: 'R003 createChatCompletion price usage.credits_remaining' },
  { lie: 'usage.missing', ...CHAT, found: 'R002 createChatCompletion field usage' },
  { lie: 'usage.text', ...CHAT, found: 'R012 createChatCompletion field usage.credits_spent' },
  { lie: 'usage.missing', ...SONG, found: 'R002 createSong field usage' },
  { lie: 'usage.text', ...PICTURE, found: 'R012 createImage field usage.credits_spent' },
  { lie: 'chat.empty', ...CHAT, found: 'R017 createChatCompletion form choices.*.message.content' },
  { lie: 'stream.no_usage', ...STREAM, found: 'C065 createChatCompletion order chunks.*.usage' },
  { lie: 'job.no_url', ...SONG, found: 'R050 getSong field result_url' },
  { lie: 'job.404', ...SONG, found: 'R192 getSong status' },
  { lie: '202.as_200', ...SONG, found: 'R010 createSong status' },
  { lie: 'file.cut', of: SONG.of, path: '/cdn', found: 'R048 getSong media file' },
  { lie: 'file.cut', ...SPEECH, found: 'R170 createSpeech media file' },
  { lie: 'b64.cut', ...PICTURE, found: 'R156 createImage media data.*.b64_json' },
  { lie: 'file.small', ...PICTURE, found: 'R156 createImage media data.*.b64_json' },
  { lie: 'duration.asked', ...SONG, found: 'R048 getSong media file' },
  { lie: 'delete.kept', of: OBJECT.of, found: 'R178 deleteObject status' },
  { lie: 'list.bare', ...HOOKS, found: 'R044 listWebhooks field .' },
  { lie: 'list.bare', ...OBJECT, found: 'R029 listObjects field .' },
  { lie: 'list.oldest', ...HOOKS, found: 'R197 listWebhooks order webhooks' },
  { lie: 'error.no_code', ...SPEECH, of: ['createSpeech missing-field'], found: 'C017 createSpeech field error.code' },
  { lie: 'error.text', of: ['createSong missing-field'], path: '/v1/music', found: 'C017 createSong field error' },
  { lie: 'status.404_as_200', of: ['getSong unknown-id'], path: '/v1/music', found: 'C024 getSong status' },
  { lie: 'status.404_as_200', of: ['createImage unknown-model'], path: '/v1/images', found: 'C022 createImage status' },
  { lie: 'status.201_as_200', ...HOOKS, found: 'R135 createWebhook status' },
  { lie: 'time.ms', ...SONG, found: 'C119 getSong form created' },
  { lie: 'time.ms', ...PICTURE, found: 'R019 createImage form created' },
  { lie: 'time.local', ...HOOKS, found: 'R041 createWebhook form createdAt' },
  { lie: 'time.local', ...OBJECT, found: 'R027 listObjects form data.*.created_at' },
  ...missing('usage.credits_remaining', CHAT, 'R012 createChatCompletion field usage.credits_remaining'),
  ...missing('choices.*.finish_reason', CHAT, 'R016 createChatCompletion field choices.*.finish_reason'),
  ...missing('choices.*.index', CHAT, 'R016 createChatCompletion field choices.*.index'),
  ...missing('data.*.seed', SONG, 'C119 createSong field data.*.seed'),
  ...missing('seconds', SONG, 'C128 createSong field seconds'),
  ...missing('bytes', OBJECT, 'R026 uploadObject field bytes'),
  ...missing('credits', ACCOUNT, 'R035 getAccount field credits'),
  ...missing('usage_30d.requests', ACCOUNT, 'R035 getAccount field usage_30d.requests'),
  ...missing('enabled', HOOKS, 'R038 createWebhook field enabled'),
  ...missing('created', PICTURE, 'R019 createImage field created'),
];
