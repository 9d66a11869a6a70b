import type { StepKind } from '../../flows/step-kind.ts';
import { castFigures, planClip } from '../../generation/clip-plan.ts';
import { renderOwnClip } from '../../generation/sync-clip.ts';
import { orderClip } from '../../generation/video.ts';
import type { StepContext } from '../../http/context.ts';
import { createVideo } from '../videos/create-video.ts';
import { namedFigures } from '../videos/named-figures.ts';
import { chosenForm, clipWishes } from '../videos/video-order.ts';
import { videoRequest } from '../videos/video-schemas.ts';
import { operationStep } from './operation-step.ts';

/** Renders a clip, by the form of the request that its params are. */
export function videoStep(context: StepContext): StepKind {
  return operationStep(context, {
    output: 'video',
    operation: createVideo,
    schema: videoRequest,
    check(body) {
      const { engine, isSynchronous } = chosenForm({ body, context });
      if (!isSynchronous) planClip(engine, clipWishes(body));
    },
    asked: ({ model, prompt }) => ({ model, message: prompt?.text }),
    async order(body, payer) {
      const { engine, isSynchronous, duration } = chosenForm({ body, context });
      const wishes = clipWishes(body);
      const requester = { context, body, caller: payer.caller, warn: () => {} };
      const order = { ...wishes, ...namedFigures(requester, wishes.prompt) };
      if (!isSynchronous) return orderClip(context, engine, order, payer);
      const { figures } = castFigures(engine, order.figures);
      return renderOwnClip(context, { ...order, figures, duration }, payer);
    },
  });
}
