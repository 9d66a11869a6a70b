import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast';

export const ROOT = path.join(import.meta.dirname, '..', '..');

/** One stage of the image: what it begins with, and its instructions in order. */
export interface Stage {
  image: string;
  name: string | null;
  steps: Instruction[];
}

/** The stages of the Dockerfile, as a real parser reads it. */
export function imageStages(): Stage[] {
  const stages: Stage[] = [];
  for (const step of DockerfileParser.parse(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')).getInstructions()) {
    if (step.getKeyword() === 'FROM') {
      const from = step as From;
      stages.push({ image: from.getImage() ?? '', name: from.getBuildStage(), steps: [] });
    } else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

/** Sources and target of a COPY, and the stage that it copies from. */
export function copyOf(step: Instruction): { from: string | undefined; sources: string[]; target: string } {
  const given = step.getArguments().map((each) => each.getValue());
  const from = (step as Copy)
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue();
  return { from: from ?? undefined, sources: given.slice(0, -1), target: given.at(-1) ?? '' };
}
