import { invalid } from '../../../base/errors.ts';
import { type Catalogue, OWN_ENGINE } from '../../../engine/catalogue/catalogue.ts';
import type { Engine } from '../../../engine/catalogue/catalogue-file.ts';
import { type DirectedText, mergeDirectives } from '../../../engine/faults/directives.ts';
import { pictureRoom } from '../../../engine/generation/clip-plan.ts';
import { checkClip } from '../../../engine/generation/video.ts';
import { handlesIn } from '../../../engine/library/elements.ts';
import type { Figure } from '../../../media/render-request.ts';
import type { WorkContext } from '../../http/context.ts';
import { withReason } from '../../http/field-list.ts';
import type { Call } from '../../http/request.ts';
import { hasFormTwoFields, isDuration, type OwnDuration, requireValues, type VideoBody } from './video-schemas.ts';

export type VideoCall = Call<undefined, VideoBody>;

/** For a request without a prompt. */
export const NO_TEXT: DirectedText = { text: '', directives: {} };

/** Form 1 waits for the clip. Throws for faults that concern several fields. */
export function chosenForm(
  catalogue: Catalogue,
  body: VideoBody,
): {
  engine: Engine;
  isSynchronous: boolean;
  /** In form 1. */
  duration: OwnDuration;
} {
  const engine = catalogue.engine(body.model ?? catalogue.standard('video'));
  if (engine.id === OWN_ENGINE && body.duration !== undefined && body.seconds !== undefined) {
    throw invalid('duration', 'duration and seconds were both given; send one of them.', 'C087');
  }
  const isSynchronous = engine.id === OWN_ENGINE && !hasFormTwoFields(body);
  requireValues(engine, body);
  const isPictured = pictureRoom(engine) > 0 && (body.reference !== undefined || (body.references ?? []).length > 0);
  if (!body.prompt && (isSynchronous || !isPictured)) {
    throw invalid('prompt', 'prompt is missing. Give a text that describes the scene.');
  }
  const { duration = '5s' } = body;
  return { engine, isSynchronous, duration: isDuration(duration) ? duration : '5s' };
}

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

/** Throws what the handler would reject before its work. */
export async function checkVideo(call: VideoCall): Promise<void> {
  const { engine, isSynchronous } = chosenForm(call.context.generation.catalogue, call.body);
  namedElements(call);
  if (!isSynchronous) await checkClip(call.context.storage, engine, clipWishes(call.body), call.caller);
}

/** `warn` is called with each ignored field. */
export interface ClipRequester {
  context: Pick<WorkContext, 'storage'>;
  caller: { accountId: string };
  body: VideoBody;
  warn(field: string): void;
}

/**
 * The elements that `elements` names, then those that the prompt mentions. An unknown entry of `elements` is a 400. An
 * unknown handle in the prompt is plain text, with a warning.
 */
export function namedFigures(call: ClipRequester, prompt: string): { figures: Figure[] } {
  const { elements } = call.context.storage;
  const { accountId } = call.caller;
  const named = namedElements(call);
  const mentioned = handlesIn(prompt).flatMap((handle) => {
    const found = elements.resolve(accountId, [handle]);
    if ('elements' in found) return found.elements;
    call.warn(withReason('prompt', `handle=${handle}`));
    return [];
  });
  const unique = new Map([...named, ...mentioned].map((element) => [element.id, element]));
  return { figures: [...unique.values()].map((element) => elements.figure(element)) };
}

/** Throws `invalid_request` for an unknown entry. */
export function namedElements({ body, caller, context }: Omit<ClipRequester, 'warn'>) {
  const named = body.elements ?? [];
  const resolved = context.storage.elements.resolve(caller.accountId, named);
  if ('unknown' in resolved) throw unknownElement(resolved.unknown, named);
  return resolved.elements;
}

function unknownElement(position: number, named: readonly string[]): Error {
  const given = JSON.stringify(named[position]?.slice(0, 60));
  return invalid(
    `elements.${position}`,
    `elements.${position} must be the id or handle of an element of this account, not ${given}. POST /_emulator/elements creates one.`,
    'C094',
  );
}
