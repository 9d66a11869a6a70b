import type { Passed } from './stand-in.ts';

/** A difference that is patched into answers, and how its result reads. */
export interface Planted {
  what: string;
  found: string;
  patch: (answer: Passed) => void;
}

const JOB = { queued: 'pending', processing: 'rendering', succeeded: 'done' } as Record<string, string>;

function at(method: string, path: RegExp, change: (answer: Passed) => void) {
  return (answer: Passed) => {
    if (answer.method === method && path.test(answer.path)) change(answer);
  };
}

const isWell = ({ status }: Passed) => status < 300;

/** One at a time; none touches what another one does. */
export const FREE_PATCHES: readonly Planted[] = [
  {
    what: 'a list cut to a page of two',
    found: 'C278 listWebhooks field webhooks',
    patch: at('GET', /webhooks$/, ({ body }) => {
      if (body.webhooks) body.webhooks = body.webhooks.slice(0, 2);
    }),
  },
  {
    what: 'a created endpoint answered with 200',
    found: 'R135 createWebhook status',
    patch: at('POST', /webhooks$/, (answer) => {
      if (answer.status === 201) answer.status = 200;
    }),
  },
  {
    what: 'a field more in the account',
    found: 'R035 getAccount field plan',
    patch: at('GET', /account$/, (answer) => {
      if (isWell(answer)) answer.body.plan = 'studio';
    }),
  },
  {
    what: 'another body of errors',
    found: 'C017 createSpeech field error',
    patch: at('POST', /speech$/, (answer) => {
      if (answer.status === 400) answer.body = { error: 'the voice is missing' };
    }),
  },
  {
    what: 'another status of a broken request',
    found: 'C019 createSong status',
    patch: at('POST', /music\/generations$/, (answer) => {
      if (answer.status === 400) answer.status = 422;
    }),
  },
  {
    what: 'another code of an unknown model',
    found: 'C022 createImage word error.code',
    patch: at('POST', /images\/generations$/, ({ body }) => {
      if (body.error?.code === 'model_not_found') body.error.code = 'unknown_model';
    }),
  },
  {
    what: 'a wrong key that is served',
    found: 'R206 listWebhooks status',
    patch: at('GET', /webhooks$/, (answer) => {
      if (answer.body.error?.code === 'invalid_api_key') {
        answer.status = 200;
        answer.body = { object: 'list', webhooks: [] };
      }
    }),
  },
  {
    what: 'kinds of models in capital letters',
    found: 'R031 listModels word data.*.kind',
    patch: at('GET', /models$/, ({ body }) => {
      for (const model of body.data ?? []) model.kind = model.kind.toUpperCase();
    }),
  },
  {
    what: 'times of events in milliseconds',
    found: 'R212 sampleWebhooks form events.*.created',
    patch: at('GET', /samples\?event=image\.generation\.succeeded/, (answer) => {
      if (isWell(answer)) for (const event of answer.body.events) event.created *= 1000;
    }),
  },
  {
    what: 'another word of a run that is done',
    found: 'R055 sampleWebhooks word events.*.data.run.status',
    patch: at('GET', /samples\?event=flow\.run\.succeeded/, (answer) => {
      if (isWell(answer)) for (const event of answer.body.events) event.data.run.status = 'completed';
    }),
  },
  {
    what: 'another header of the request id',
    found: 'C010 listObjects header x-request-id',
    patch: at('GET', /storage\/objects$/, ({ headers }) => {
      delete headers['x-request-id'];
    }),
  },
  {
    what: 'an endpoint that is gone, deleted again',
    found: 'R198 deleteWebhook word deleted',
    patch: at('DELETE', /webhooks/, ({ body, path }) => {
      if (!path.includes('we_0000') && body.deleted === false) body.deleted = true;
    }),
  },
  {
    what: 'a method that is there',
    found: 'C026 getAccount status',
    patch: at('PATCH', /account$/, (answer) => {
      answer.status = 404;
    }),
  },
  {
    what: 'a flow of others that is taken',
    found: 'R236 createWebhook word error.code',
    patch: at('POST', /webhooks$/, ({ body }) => {
      if (body.error?.code === 'flow_not_found') body.error.code = 'not_found';
    }),
  },
  {
    what: 'an event without a library id',
    found: 'R231 sampleWebhooks field events.*.data.library_id',
    patch: at('GET', /samples\?event=video\.generation\.succeeded/, (answer) => {
      if (isWell(answer)) for (const event of answer.body.events) delete event.data.library_id;
    }),
  },
];

export const PAID_PATCHES: readonly Planted[] = [
  {
    what: 'a price that is one more',
    found: 'R123 createChatCompletion price usage.credits_spent',
    patch: at('POST', /chat\/completions$/, (answer) => {
      if (answer.body?.model === 'svc-rp-mini' && isWell(answer)) {
        answer.body.usage.credits_spent += 1;
        answer.body.usage.credits_remaining -= 1;
      }
    }),
  },
  {
    what: 'a state with another name',
    found: 'C118 getSong states status',
    patch: at('GET', /music\/generations\/job_(?!000000)/, (answer) => {
      if (isWell(answer)) answer.body.status = JOB[answer.body.status] ?? answer.body.status;
    }),
  },
  {
    what: 'a result without a type',
    found: 'C119 getSong field content_type',
    patch: at('GET', /music\/generations\/job_(?!000000)/, (answer) => {
      if (isWell(answer)) delete answer.body.content_type;
    }),
  },
  {
    what: 'a field more in usage',
    found: 'R012 uploadObject field usage.other 1',
    patch: at('POST', /storage\/objects$/, (answer) => {
      if (isWell(answer)) answer.body.usage.kept = true;
    }),
  },
];

const each = (answer: Passed, change: (event: Passed['body']) => void) => {
  if (isWell(answer)) for (const event of answer.body.events) change(event);
};

/** Only alone: they touch what others do. */
export const MORE_PATCHES: readonly Planted[] = [
  {
    what: 'events with ids of another kind',
    found: 'R212 sampleWebhooks form events.*.id',
    patch: at('GET', /samples\?event=flow\.run\.failed/, (answer) => each(answer, (event) => (event.id = 'event-1'))),
  },
  {
    what: 'a failed run without its failure',
    found: 'R228 sampleWebhooks field events.*.data.failure',
    patch: at('GET', /samples\?event=flow\.run\.failed/, (answer) => each(answer, ({ data }) => delete data.failure)),
  },
  {
    what: 'a waiting run that says nothing of its wait',
    found: 'R229 sampleWebhooks field events.*.data.waiting',
    patch: at('GET', /samples\?event=flow\.run\.waiting/, (answer) => each(answer, ({ data }) => delete data.waiting)),
  },
  {
    what: 'runs that begin in unix time',
    found: 'R054 sampleWebhooks field events.*.data.run.startedAt',
    patch: at('GET', /samples\?event=flow\.run\.succeeded/, (answer) =>
      each(answer, ({ data }) => (data.run.startedAt = 1_800_000_000)),
    ),
  },
  {
    what: 'a failed generation whose error has no code',
    found: 'R233 sampleWebhooks field events.*.data.error.code',
    patch: at('GET', /samples\?event=music\.generation\.failed/, (answer) =>
      each(answer, ({ data }) => delete data.error.code),
    ),
  },
  {
    what: 'result URLs without a signature',
    found: 'R232 sampleWebhooks form events.*.data.result_url',
    patch: at('GET', /samples\?event=video\.generation\.succeeded/, (answer) =>
      each(answer, ({ data }) => (data.result_url = 'https://cdn.test/clip.mp4')),
    ),
  },
  {
    what: 'secrets in the list of endpoints',
    found: 'R042 listWebhooks field webhooks.*.secret',
    patch: at('GET', /webhooks$/, ({ body }) => {
      for (const endpoint of body.webhooks ?? []) endpoint.secret = 'whsec_000000000000';
    }),
  },
  {
    what: 'endpoints the oldest first',
    found: 'R197 listWebhooks order webhooks',
    patch: at('GET', /webhooks$/, ({ body }) => body.webhooks?.reverse()),
  },
  {
    what: 'names of another style',
    found: 'R038 createWebhook field flowId',
    patch: at('POST', /webhooks$/, ({ status, body }) => {
      if (status !== 201) return;
      delete body.flowId;
    }),
  },
  {
    what: 'models without a price',
    found: 'R031 listModels field data.*.pricing',
    patch: at('GET', /models$/, ({ body }) => {
      for (const model of body.data ?? []) delete model.pricing;
    }),
  },
  {
    what: 'a price by another name',
    found: 'R031 listModels field data.*.pricing',
    patch: at('GET', /models$/, ({ body }) => {
      for (const model of body.data ?? []) model.pricing = { credits: 1 };
    }),
  },
  {
    what: 'a list that is called otherwise',
    found: 'R032 listModels word object',
    patch: at('GET', /models$/, (answer) => {
      if (isWell(answer)) answer.body.object = 'models';
    }),
  },
  {
    what: 'a missing key that is forbidden',
    found: 'R205 createImage status',
    patch: at('POST', /images\/generations$/, (answer) => {
      if (answer.status === 401) answer.status = 403;
    }),
  },
  {
    what: 'errors as problem details',
    found: 'R009 deleteObject type content-type',
    patch: at('DELETE', /objects/, ({ status, headers }) => {
      if (status >= 400) headers['content-type'] = 'application/problem+json';
    }),
  },
  {
    what: 'limits of the rate in headers',
    found: 'C182 getAccount header ratelimit-limit',
    patch: at('GET', /account$/, ({ headers }) => {
      headers['ratelimit-limit'] = '60';
    }),
  },
  {
    what: 'a path of its own for errors of unknown paths',
    found: 'C025 listModels status',
    patch: at('GET', /nothing-here$/, (answer) => {
      answer.status = 400;
    }),
  },
  {
    what: 'objects whose ids begin otherwise',
    found: 'C074 uploadObject form id',
    patch: at('POST', /objects$/, (answer) => {
      if (isWell(answer)) answer.body.id = `file_${answer.body.id.slice(4)}`;
    }),
  },
];
