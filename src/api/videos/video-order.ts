import { OWN_ENGINE } from '../../catalogue/catalogue.ts';
import type { Engine } from '../../catalogue/catalogue-file.ts';
import { invalid } from '../../errors.ts';
import { type DirectedText, mergeDirectives } from '../../faults/directives.ts';
import { pictureRoom } from '../../generation/clip-plan.ts';
import { checkClip } from '../../generation/video.ts';
import type { Call } from '../../http/call.ts';
import type { Context } from '../../http/context.ts';
import { namedElements } from './named-figures.ts';
import { hasFormTwoFields, isDuration, type OwnDuration, requireValues, type VideoBody } from './video-schemas.ts';

export type VideoCall = Call<undefined, VideoBody>;

/** Stands for a prompt that was left out. */
export const NO_TEXT: DirectedText = { text: '', directives: {} };

/** Which engine makes the clip, and whether the call waits for it. Throws what is wrong beyond single fields. */
export function chosenForm({ body, context }: { body: VideoBody; context: Pick<Context, 'catalogue'> }): {
  engine: Engine;
  isSynchronous: boolean;
  /** What form 1 goes by. */
  duration: OwnDuration;
} {
  const engine = context.catalogue.engine(body.model ?? context.catalogue.standard('video'));
  if (body.duration !== undefined && body.seconds !== undefined) {
    throw invalid('duration', 'duration and seconds were both given; send one of them.');
  }
  const isSynchronous = engine.id === OWN_ENGINE && !hasFormTwoFields(body);
  requireValues(engine, body);
  const isPictured = pictureRoom(engine) > 0 && (body.reference !== undefined || (body.references ?? []).length > 0);
  if (!body.prompt && (isSynchronous || !isPictured)) {
    throw invalid('prompt', 'prompt is missing. It takes: a text that describes the scene.');
  }
  const { duration = '5s' } = body;
  return { engine, isSynchronous, duration: isDuration(duration) ? duration : '5s' };
}

/** What a form 2 request asks for, but for the figures that it names. */
export function clipWishes(body: VideoBody) {
  const { text: prompt, directives } = body.prompt ?? NO_TEXT;
  const { negative_prompt: negative } = body;
  return {
    prompt,
    directives: mergeDirectives(directives, negative?.directives ?? {}),
    seconds: body.seconds,
    duration: body.duration,
    resolution: body.resolution,
    aspect: body.aspect ?? ('16:9' as const),
    shot: body.shot,
    lighting: body.lighting,
    audio: body.audio,
    seed: body.seed,
    negativePrompt: negative?.text,
    reference: body.reference,
    references: body.references,
    endReference: body.end_reference,
    elements: body.elements,
    store: body.store,
  };
}

/** Throws what the handler would refuse before its work. */
export async function checkVideo(call: VideoCall): Promise<void> {
  const { engine, isSynchronous } = chosenForm(call);
  namedElements(call);
  if (!isSynchronous) await checkClip(call.context, engine, clipWishes(call.body), call.caller);
}
