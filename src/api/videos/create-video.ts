import type { Engine } from '../../catalogue/catalogue-file.ts';
import { castFigures } from '../../generation/clip-plan.ts';
import { jobRecord } from '../../generation/job-record.ts';
import { renderOwnClip } from '../../generation/sync-clip.ts';
import { orderClip } from '../../generation/video.ts';
import { warnOfTake, warnOfUnused } from '../../http/call.ts';
import { operation } from '../../http/operation.ts';
import { Accepted } from '../../http/send.ts';
import { answerRender } from '../answer-render.ts';
import { usage } from '../usage-schema.ts';
import { checkVideo, chosenForm, clipWishes, NO_TEXT, namedFigures, type VideoCall } from './video-order.ts';
import { type OwnDuration, videoJob, videoRequest, videoResult } from './video-schemas.ts';

export const createVideo = operation({
  name: 'createVideo',
  method: 'POST',
  path: '/v1/videos/generations',
  summary: 'A clip: of the own engine while the call waits (100 or 180 credits), or a job of any engine.',
  access: 'key',
  paid: 'video.generation',
  body: videoRequest,
  answer: videoResult,
  accepted: videoJob.extend({ usage }),
  asked: ({ model, prompt }) => ({ model, message: prompt?.text }),
  check: checkVideo,
  handle(call) {
    const { engine, isSynchronous, duration } = chosenForm(call);
    return isSynchronous ? answerClip(call, engine, duration) : acceptJob(call, engine);
  },
});

/** Form 1: the clip itself, or its permanent URL when it is stored. */
async function answerClip(call: VideoCall, engine: Engine, duration: OwnDuration) {
  const { body, context } = call;
  const { text: prompt, directives } = body.prompt ?? NO_TEXT;
  warnOfUnused(call, 'prompt', directives);
  const { figures, isCut } = castFigures(engine, namedFigures(call, prompt).figures);
  if (isCut) call.drop('elements');
  const order = { prompt, duration, figures, store: body.store, directives };
  const paid = await renderOwnClip(context, order, call);
  const more = { content_type: paid.result.file.contentType };
  return answerRender(context, paid, { asUrl: body.store, more });
}

/** Form 2: a job to poll. */
async function acceptJob(call: VideoCall, engine: Engine) {
  const { body, context } = call;
  const wishes = clipWishes(body);
  if (engine.family === null) warnOfUnused(call, 'prompt', wishes.directives);
  else warnOfTake(call, 'prompt', wishes.directives.fail);
  const order = { ...wishes, figures: namedFigures(call, wishes.prompt).figures };
  const { result, usage: spent } = await orderClip(context, engine, order, call);
  for (const field of result.dropped) call.drop(field);
  call.facts.shown = [result.job];
  return new Accepted({ ...jobRecord(result.job), usage: spent });
}
