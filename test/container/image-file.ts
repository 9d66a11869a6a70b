import { readFileSync } from 'node:fs';
import path from 'node:path';
import { requireTool } from '../tools/installed-tools.mjs';

/** An instruction of a Dockerfile; FROM has an image, and COPY flags. */
interface Instruction {
  getKeyword(): string;
  getArguments(): { getValue(): string }[];
  getArgumentsContent(): string | null;
  getImage?(): string | null;
  getBuildStage?(): string | null;
  getFlags?(): { getName(): string; getValue(): string | null }[];
}

interface DockerfileAst {
  DockerfileParser: { parse(text: string): { getInstructions(): Instruction[] } };
}

const { DockerfileParser } = await requireTool<DockerfileAst>('dockerfile-ast');

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
      stages.push({ image: step.getImage?.() ?? '', name: step.getBuildStage?.() ?? null, steps: [] });
    } else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

/** Sources and target of a COPY, and the stage that it copies from. */
export function copyOf(step: Instruction): { from: string | undefined; sources: string[]; target: string } {
  const given = step.getArguments().map((each) => each.getValue());
  const from = step
    .getFlags?.()
    .find((flag) => flag.getName() === 'from')
    ?.getValue();
  return { from: from ?? undefined, sources: given.slice(0, -1), target: given.at(-1) ?? '' };
}
