import type { Passed } from './stand-in.ts';

/** A difference that is patched into answers, and how its result reads. */
export interface Planted {
  what: string;
  found: string;
  patch: (answer: Passed) => void;
}

type Body = Passed['body'];
/** Changes the answer to a request such as `GET /v1/webhooks`. */
type Row = readonly [what: string, found: string, line: RegExp, change: (body: Body, answer: Passed) => void];

const planted = (rows: readonly Row[]): readonly Planted[] =>
  rows.map(([what, found, line, change]) => ({
    what,
    found,
    patch(answer) {
      if (line.test(`${answer.method} ${answer.path}`)) change(answer.body, answer);
    },
  }));

/** Of answers that are no refusals. */
const well = (change: (body: Body) => void) => (body: Body, answer: Passed) => {
  if (answer.status < 300) change(body);
};
const each = (change: (event: Body) => void) =>
  well(({ events }) => {
    for (const event of events) change(event);
  });
const model = (change: (model: Body) => void) => (body: Body) => {
  for (const one of body.data ?? []) change(one);
};
const status = (from: number, to: number) => (_body: Body, answer: Passed) => {
  if (answer.status === from) answer.status = to;
};
const code = (from: string, to: string) => (body: Body) => {
  if (body.error?.code === from) body.error.code = to;
};

const JOB = { queued: 'pending', processing: 'rendering', succeeded: 'done' } as Record<string, string>;
const HOOKS = /^GET .*webhooks$/;
const MAKE_HOOK = /^POST .*webhooks$/;
const MODELS = /^GET .*models$/;
const STORE = /^POST .*objects$/;
const TAKE = /^GET .*music\/generations\/job_(?!000000)/;
const samples = (event: string) => new RegExp(`^GET .*samples\\?event=${event.replaceAll('.', '\\.')}`);

/** One at a time; none touches what another one does. */
export const FREE_PATCHES = planted([
  [
    'a list cut to a page of two',
    'C278 listWebhooks field webhooks',
    HOOKS,
    (body) => {
      if (body.webhooks) body.webhooks = body.webhooks.slice(0, 2);
    },
  ],
  ['a created endpoint answered with 200', 'R135 createWebhook status', MAKE_HOOK, status(201, 200)],
  [
    'a field more in the account',
    'R035 getAccount field plan',
    /^GET .*account$/,
    well((body) => (body.plan = 'studio')),
  ],
  [
    'another body of errors',
    'C017 createSpeech field error',
    /^POST .*speech$/,
    (_body, answer) => {
      if (answer.status === 400) answer.body = { error: 'the voice is missing' };
    },
  ],
  ['another status of a broken request', 'C019 createSong status', /^POST .*music\/generations$/, status(400, 422)],
  [
    'another code of an unknown model',
    'C022 createImage word error.code',
    /^POST .*images\/generations$/,
    code('model_not_found', 'unknown_model'),
  ],
  [
    'a wrong key that is served',
    'R206 listWebhooks status',
    HOOKS,
    (body, answer) => {
      const served = { status: 200, body: { object: 'list', webhooks: [] } };
      if (body.error?.code === 'invalid_api_key') Object.assign(answer, served);
    },
  ],
  [
    'kinds of models in capital letters',
    'R031 listModels word data.*.kind',
    MODELS,
    model((one) => (one.kind = one.kind.toUpperCase())),
  ],
  [
    'times of events in milliseconds',
    'R212 sampleWebhooks form events.*.created',
    samples('image.generation.succeeded'),
    each((event) => (event.created *= 1000)),
  ],
  [
    'another word of a run that is done',
    'R055 sampleWebhooks word events.*.data.run.status',
    samples('flow.run.succeeded'),
    each(({ data }) => (data.run.status = 'completed')),
  ],
  [
    'another header of the request id',
    'C010 listObjects header x-request-id',
    /^GET .*storage\/objects$/,
    (_body, { headers }) => delete headers['x-request-id'],
  ],
  [
    'an endpoint that is gone, deleted again',
    'R198 deleteWebhook word deleted',
    /^DELETE .*webhooks\/(?!we_0000)/,
    (body) => {
      if (body.deleted === false) body.deleted = true;
    },
  ],
  ['a method that is there', 'C026 getAccount status', /^PATCH .*account$/, status(405, 404)],
  [
    'a flow of others that is taken',
    'R236 createWebhook word error.code',
    MAKE_HOOK,
    code('flow_not_found', 'not_found'),
  ],
  [
    'an event without a library id',
    'R231 sampleWebhooks field events.*.data.library_id',
    samples('video.generation.succeeded'),
    each(({ data }) => delete data.library_id),
  ],
]);

export const PAID_PATCHES = planted([
  [
    'a price that is one more',
    'R123 createChatCompletion price usage.credits_spent',
    /^POST .*chat\/completions$/,
    (body, answer) => {
      if (body?.model !== 'svc-rp-mini' || answer.status >= 300) return;
      body.usage.credits_spent += 1;
      body.usage.credits_remaining -= 1;
    },
  ],
  [
    'a state with another name',
    'C118 getSong states status',
    TAKE,
    well((body) => (body.status = JOB[body.status] ?? body.status)),
  ],
  ['a result without a type', 'C119 getSong field content_type', TAKE, well((body) => delete body.content_type)],
  ['a field more in usage', 'R012 uploadObject field usage.other 1', STORE, well((body) => (body.usage.kept = true))],
]);

/** Only alone: they touch what others do. */
export const MORE_PATCHES = planted([
  [
    'events with ids of another kind',
    'R212 sampleWebhooks form events.*.id',
    samples('flow.run.failed'),
    each((event) => (event.id = 'event-1')),
  ],
  [
    'a failed run without its failure',
    'R228 sampleWebhooks field events.*.data.failure',
    samples('flow.run.failed'),
    each(({ data }) => delete data.failure),
  ],
  [
    'a waiting run that says nothing of its wait',
    'R229 sampleWebhooks field events.*.data.waiting',
    samples('flow.run.waiting'),
    each(({ data }) => delete data.waiting),
  ],
  [
    'runs that begin in unix time',
    'R054 sampleWebhooks field events.*.data.run.startedAt',
    samples('flow.run.succeeded'),
    each(({ data }) => (data.run.startedAt = 1_800_000_000)),
  ],
  [
    'a failed generation whose error has no code',
    'R233 sampleWebhooks field events.*.data.error.code',
    samples('music.generation.failed'),
    each(({ data }) => delete data.error.code),
  ],
  [
    'result URLs without a signature',
    'R232 sampleWebhooks form events.*.data.result_url',
    samples('video.generation.succeeded'),
    each(({ data }) => (data.result_url = 'https://cdn.test/clip.mp4')),
  ],
  [
    'secrets in the list of endpoints',
    'R042 listWebhooks field webhooks.*.secret',
    HOOKS,
    (body) => {
      for (const endpoint of body.webhooks ?? []) endpoint.secret = 'whsec_000000000000';
    },
  ],
  ['endpoints the oldest first', 'R197 listWebhooks order webhooks', HOOKS, (body) => body.webhooks?.reverse()],
  ['names of another style', 'R038 createWebhook field flowId', MAKE_HOOK, well((body) => delete body.flowId)],
  ['models without a price', 'R031 listModels field data.*.pricing', MODELS, model((one) => delete one.pricing)],
  [
    'a price by another name',
    'R031 listModels field data.*.pricing',
    MODELS,
    model((one) => (one.pricing = { credits: 1 })),
  ],
  ['a list that is called otherwise', 'R032 listModels word object', MODELS, well((body) => (body.object = 'models'))],
  ['a missing key that is forbidden', 'R205 createImage status', /^POST .*images\/generations$/, status(401, 403)],
  [
    'errors as problem details',
    'R009 deleteObject type content-type',
    /^DELETE .*objects/,
    (_body, answer) => {
      if (answer.status >= 400) answer.headers['content-type'] = 'application/problem+json';
    },
  ],
  [
    'limits of the rate in headers',
    'C182 getAccount header ratelimit-limit',
    /^GET .*account$/,
    (_body, { headers }) => (headers['ratelimit-limit'] = '60'),
  ],
  ['a path of its own for errors of unknown paths', 'C025 listModels status', /nothing-here$/, status(404, 400)],
  [
    'objects whose ids begin otherwise',
    'C074 uploadObject form id',
    STORE,
    well((body) => (body.id = `file_${body.id.slice(4)}`)),
  ],
]);
