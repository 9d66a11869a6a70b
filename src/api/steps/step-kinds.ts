import type { StepKinds } from '../../flows/step-kind.ts';
import type { StepContext } from '../../http/context.ts';
import { imageStep } from './image-step.ts';
import { musicStep } from './music-step.ts';
import { postStep } from './post-step.ts';
import { speechStep } from './speech-step.ts';
import { textStep } from './text-step.ts';
import { videoStep } from './video-step.ts';

/** Every type of step, each by the operation whose work it does. */
export function stepKinds(context: StepContext): StepKinds {
  return {
    text: textStep(context),
    image: imageStep(context),
    video: videoStep(context),
    music: musicStep(context),
    speech: speechStep(context),
    post: postStep(),
  };
}
