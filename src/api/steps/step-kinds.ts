import type { StepKinds } from '../../flows/step-kind.ts';
import type { StepLend } from '../../http/context.ts';
import { imageStep } from './image-step.ts';
import { musicStep } from './music-step.ts';
import { postStep } from './post-step.ts';
import { speechStep } from './speech-step.ts';
import { textStep } from './text-step.ts';
import { videoStep } from './video-step.ts';

/** Every type of step, each by the operation whose work it does. */
export function stepKinds(lend: StepLend): StepKinds {
  return {
    text: textStep(lend),
    image: imageStep(lend),
    video: videoStep(lend),
    music: musicStep(lend),
    speech: speechStep(lend),
    post: postStep(),
  };
}
