import { OWN_ENGINE } from '../../catalogue/catalogue.ts';
import type { Engine } from '../../catalogue/catalogue-file.ts';
import { unixSeconds } from '../../clock/clock.ts';
import { invalid } from '../../errors.ts';
import { mergeDirectives } from '../../faults/directives.ts';
import { jobRecord } from '../../generation/job-record.ts';
import { renderOwnClip } from '../../generation/own-clip.ts';
import { orderClip } from '../../generation/video.ts';
import type { Call } from '../../http/call.ts';
import { withReason } from '../../http/field-list.ts';
import { operation } from '../../http/operation.ts';
import { Accepted } from '../../http/reply.ts';
import { readBase64 } from '../read-base64.ts';
import { usage } from '../usage-schema.ts';
import { namedFigures } from './named-figures.ts';
import {
  hasFormTwoFields,
  type VideoBody,
  videoJob,
  videoRequest,
  videoResult,
} from './video-schemas.ts';

type VideoCall = Call<undefined, VideoBody>;

export const createVideo = operation({
  name: 'createVideo',
  method: 'POST',
  path: '/v1/videos/generations',
  summary:
    'A clip: of the own engine while the call waits (100 or 180 credits), or a job of any engine.',
  access: 'key',
  body: videoRequest,
  answer: videoResult,
  accepted: videoJob.extend({ usage }),
  asked: ({ model, prompt }) => ({ model, message: prompt?.text }),
  handle(call) {
    const { body, emulator } = call;
    const engine = emulator.catalogue.engine(body.model ?? emulator.catalogue.standard('video'));
    if (body.duration !== undefined && body.seconds !== undefined) {
      throw invalid('duration', 'duration and seconds were both given; send one of them.');
    }
    const synchronous = engine.id === OWN_ENGINE && !hasFormTwoFields(body);
    return synchronous ? answerClip(call) : acceptJob(call, engine);
  },
});

/** Form 1: the clip itself, or its permanent URL when it is stored. */
async function answerClip(call: VideoCall) {
  const { body, emulator } = call;
  if (!body.prompt) throw missingPrompt();
  const { text: prompt, directives } = body.prompt;
  if (directives.block) call.warn(withReason('prompt', 'directive=block'));
  const { figures } = namedFigures(call, prompt);
  const order = { prompt, duration: body.duration ?? '5s', figures, store: body.store, directives };
  const { result, usage: spent } = await renderOwnClip(emulator, order, call);
  call.facts.credits = spent.credits_spent;
  call.facts.jobIds = [result.job.id];
  const content_type = result.file.contentType;
  const item = body.store
    ? { url: result.url, content_type }
    : { b64_json: await readBase64(emulator, result.file.file), content_type };
  return {
    created: unixSeconds(result.job.created),
    model: result.job.model,
    data: [item],
    usage: spent,
  };
}

/** Form 2: a job to poll. */
async function acceptJob(call: VideoCall, engine: Engine) {
  const { body, emulator } = call;
  const pictured = body.reference !== undefined || (body.references ?? []).length > 0;
  if (!body.prompt && !pictured) throw missingPrompt();
  const { text: prompt, directives: asked } = body.prompt ?? { text: '', directives: {} };
  const directives = mergeDirectives(asked, body.negative_prompt?.directives ?? {});
  if (directives.block && engine.family === null)
    call.warn(withReason('prompt', 'directive=block'));
  const order = {
    ...{ prompt, directives, figures: namedFigures(call, prompt).figures, elements: body.elements },
    ...{ seconds: body.seconds, duration: body.duration, resolution: body.resolution },
    ...{ aspect: body.aspect ?? ('16:9' as const), shot: body.shot, lighting: body.lighting },
    ...{ audio: body.audio, seed: body.seed, negativePrompt: body.negative_prompt?.text },
    ...{ reference: body.reference, references: body.references, endReference: body.end_reference },
    store: body.store,
  };
  const { result, usage: spent } = await orderClip(emulator, engine, order, call);
  call.facts.credits = spent.credits_spent;
  call.facts.jobIds = [result.job.id];
  for (const field of result.dropped) call.drop(field);
  return new Accepted({ ...jobRecord(result.job), usage: spent });
}

function missingPrompt(): Error {
  return invalid('prompt', 'prompt is missing. It takes: a text that describes the scene.');
}
