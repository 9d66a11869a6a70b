import { readFileSync } from 'node:fs';
import path from 'node:path';
import { requireTool } from '../tools/installed-tools.mjs';

/** An instruction of a Dockerfile. Only FROM has an image. */
interface Instruction {
  getKeyword(): string;
  getArgumentsContent(): string | null;
  getImage?(): string | null;
  getBuildStage?(): string | null;
}

interface DockerfileAst {
  DockerfileParser: { parse(text: string): { getInstructions(): Instruction[] } };
}

const { DockerfileParser } = await requireTool<DockerfileAst>('dockerfile-ast');

export const ROOT = path.join(import.meta.dirname, '..', '..');

/** One stage of the Dockerfile: its base image, and its instructions in order. */
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

/** The arguments of all instructions with one keyword in the stage that runs. */
export function argumentsOf(keyword: string): string[] {
  const steps = imageStages().at(-1)?.steps ?? [];
  return steps.filter((step) => step.getKeyword() === keyword).map((step) => step.getArgumentsContent() ?? '');
}
