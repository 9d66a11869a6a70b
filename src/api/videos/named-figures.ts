import { invalid } from '../../errors.ts';
import type { Context } from '../../http/context.ts';
import { withReason } from '../../http/field-list.ts';
import { handlesIn } from '../../library/handles.ts';
import type { Figure } from '../../render/render-request.ts';
import type { VideoBody } from './video-schemas.ts';

/** Who asks for a clip, with what; `warn` hears of what is ignored. */
export interface ClipRequester {
  context: Pick<Context, 'elements'>;
  caller: { accountId: string };
  body: VideoBody;
  warn(field: string): void;
}

/**
 * The figures of a clip: what `elements` names, then whom the prompt mentions. An unknown entry of `elements` is a 400;
 * an unknown handle in the prompt is plain text and a warning.
 */
export function namedFigures(call: ClipRequester, prompt: string): { figures: Figure[] } {
  const { elements } = call.context;
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

/** What `elements` names. Throws `invalid_request` for an unknown entry. */
export function namedElements({ body, caller, context }: Omit<ClipRequester, 'warn'>) {
  const named = body.elements ?? [];
  const resolved = context.elements.resolve(caller.accountId, named);
  if ('unknown' in resolved) throw unknownElement(resolved.unknown, named);
  return resolved.elements;
}

function unknownElement(position: number, named: readonly string[]): Error {
  const met = JSON.stringify(named[position]?.slice(0, 60));
  return invalid(
    `elements.${position}`,
    `elements.${position} names no element of this account: ${met}. Give the id or handle of one made with POST /_emulator/elements.`,
  );
}
