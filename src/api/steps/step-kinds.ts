import type { StepKinds } from '../../flows/step-kind.ts';
import { imageStep } from './image-step.ts';
import { musicStep } from './music-step.ts';
import { postStep } from './post-step.ts';
import { speechStep } from './speech-step.ts';
import type { StepParts } from './step-parts.ts';
import { textStep } from './text-step.ts';
import { videoStep } from './video-step.ts';

/** Every type of step, each by the operation whose work it does. */
export function stepKinds(parts: StepParts): StepKinds {
  return {
    text: textStep(parts),
    image: imageStep(parts),
    video: videoStep(parts),
    music: musicStep(parts),
    speech: speechStep(parts),
    post: postStep(),
  };
}
