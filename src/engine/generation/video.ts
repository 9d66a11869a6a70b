import { EmulatorError } from '../../base/errors.ts';
import type { Caller } from '../accounts/account-store.ts';
import { CLIP_CAP, PLAN_NAME } from '../accounts/roles.ts';
import { keepLines } from '../catalogue/catalogue.ts';
import type { Engine } from '../catalogue/catalogue-file.ts';
import { clipLines } from '../catalogue/clips.ts';
import type { Job } from '../jobs/job.ts';
import type { FilePins } from '../storage/files.ts';
import type { References } from '../storage/references.ts';
import type { Storage } from '../storage/storage.ts';
import {
  type ClipOrder,
  type ClipPlan,
  type ClipWishes,
  castFigures,
  type Pictures,
  planClip,
  takeOf,
} from './clip-plan.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { Generation } from './generation.ts';
import type { PaidResult, PayingCall } from './order.ts';
import { queuedWork } from './rendered-work.ts';

/** The job of a clip, and the parameters that its engine does not support. */
export interface OrderedClip {
  job: Job;
  dropped: string[];
}

/** Form 2: orders a clip of any engine. Throws `plan_cap_exceeded` for one longer than the workspace's plan allows. */
export function orderClip(
  { generation, storage }: { generation: Generation; storage: Storage },
  engine: Engine,
  order: ClipOrder,
  payer: PayingCall,
): Promise<PaidResult<OrderedClip>> {
  const plan = planClip(engine, order);
  requirePlanCap(plan.seconds, payer.caller);
  return storage.files.withPins(async (pins) => {
    const pictures = await readPictures(storage.references, plan, pins);
    const cast = castFigures(engine, order.figures, plan.pictures.length);
    const take = takeOf(engine, { ...order, figures: cast.figures }, { plan, pictures });
    const failWith = isBlocked(generation.policy, engine, order) ? 'content_blocked' : undefined;
    const { store, directives } = order;
    const clip = clipLines(engine, { ...plan, pictures: plan.pictures.length + cast.pictures });
    const render = {
      medium: 'video' as const,
      model: engine.id,
      store,
      takes: [{ ...take, failWith }],
      directives,
    };
    const { result, usage } = await generation.pipeline.run(
      {
        operation: 'video.generation',
        model: engine.id,
        lines: [...clip, ...keepLines(generation.catalogue, store)],
        directives,
        work: queuedWork(generation, render, payer),
      },
      payer,
    );
    const [job] = result;
    if (!job) throw new Error('a clip is one job');
    return { result: { job, dropped: [...plan.dropped, ...(cast.isCut ? ['elements'] : [])] }, usage };
  });
}

/** Throws what `orderClip` throws before its work; reads the given pictures for it. */
export async function checkClip(
  { files, references }: Storage,
  engine: Engine,
  wishes: ClipWishes,
  caller: Caller,
): Promise<void> {
  const plan = planClip(engine, wishes);
  requirePlanCap(plan.seconds, caller);
  await files.withPins((pins) => readPictures(references, plan, pins));
}

async function readPictures(references: References, plan: ClipPlan, pins: FilePins): Promise<Pictures> {
  const shown = [];
  for (const { url, param } of plan.pictures) shown.push(await references.read(url, { param, pins }));
  const last = plan.last && (await references.read(plan.last.url, { param: plan.last.param, pins }));
  return { shown, last };
}

/** Third-party engines are moderated by their providers; the service's own engine is not. */
function isBlocked(policy: ContentPolicy, engine: Engine, order: ClipOrder): boolean {
  if (engine.family === null) return false;
  return order.directives.block === 'request' || policy.findBlocked(order.prompt) !== undefined;
}

function requirePlanCap(seconds: number, { plan }: Caller): void {
  const cap = CLIP_CAP[plan];
  if (seconds <= cap) return;
  throw new EmulatorError(
    'plan_cap_exceeded',
    `A clip of ${seconds} s is longer than the plan ${PLAN_NAME[plan]} (${plan}) allows: ${cap} s. Ask for a shorter clip, or change the plan with PATCH /_emulator/accounts/{id}.`,
    { param: 'seconds' },
  );
}
