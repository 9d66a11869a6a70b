import type { z } from 'zod';
import { EmulatorError } from '../../../base/errors.ts';
import type { AppliedFault } from '../../../engine/faults/applied-fault.ts';
import { applyBeforeWork, DROPPED, givingBack } from '../../../engine/faults/apply.ts';
import {
  type IsOpen,
  type OutputKind,
  type Params,
  type StepKind,
  type StepPayer,
  sparingOpen,
} from '../../../engine/flows/step-kind.ts';
import type { Scripted } from '../../../engine/generation/order.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { Scriptable } from '../../fixtures/subject.ts';
import type { StepContext } from '../../http/context.ts';
import { targetOf } from '../../http/fault-target.ts';
import { InputReader } from '../../http/input.ts';
import type { Operation } from '../../http/operation.ts';

/** A type of step as its file defines it. */
export interface OperationStep<Schema extends z.ZodType> {
  output: OutputKind;
  /** The operation whose work the step does: fault rules and scripted answers treat it as a call of this. */
  operation: Operation;
  schema: Schema;
  /** What every step of this type has besides its params. */
  given?: Params;
  /** Throws what the operation would refuse before its work. */
  check(body: z.output<Schema>): void;
  /** What scripted answers are matched against. */
  asked(body: z.output<Schema>): ReturnType<NonNullable<Operation['asked']>>;
  order(body: z.output<Schema>, payer: StepPayer): Promise<unknown>;
}

/** Makes a kind of step that does the work of an operation, with the same pipeline and the same fault rules. */
export function operationStep<Schema extends z.ZodType>(context: StepContext, step: OperationStep<Schema>): StepKind {
  const reader = new InputReader(step.schema);
  const whole = (params: Params) => ({ ...step.given, ...params });
  return {
    output: step.output,
    check: (params, isOpen) => checkBody(reader, { params: whole(params), isOpen }, step.check),
    async order(params, payer) {
      const body = reader.read(whole(params));
      step.check(body);
      const appliedFault = await applyFaults(context, step.operation, { body, payer });
      await givingBack(context.faults, appliedFault, async () => {
        const scripted = await script(context, step.operation, { asked: step.asked(body), payer });
        await orderScripted(context, scripted, () => step.order(body, { ...payer, appliedFault, scripted }));
      });
    },
  };
}

/** What fault rules do to the step, as to a call of its operation; holds catch requests only. */
async function applyFaults(
  { faults, catalogue }: StepContext,
  operation: Operation,
  { body, payer }: { body: unknown; payer: StepPayer },
): Promise<AppliedFault | undefined> {
  const { path, paid } = operation;
  const { accountId } = payer.caller;
  if (!faults.isArmed || !faults.looksAt({ path, accountId, paid })) return undefined;
  const target = targetOf({ catalogue, body }, operation, { surface: 'step', path, accountId });
  const { gone } = payer;
  const wait = (milliseconds: number) => faults.holds.waits.wait(milliseconds, gone);
  const appliedFault = await applyBeforeWork(faults, { target, gone, wait, reset: failAsReset });
  return appliedFault === DROPPED ? undefined : appliedFault;
}

/** A step has no connection that could be reset. */
function failAsReset(): never {
  throw new EmulatorError('render_failed', 'The connection was reset, as a fault rule asked; nothing was charged.');
}

async function script(
  { fixtures }: StepContext,
  { name }: Operation,
  { asked, payer }: { asked: Parameters<Fixtures['take']>[2]; payer: StepPayer },
): Promise<Scripted | undefined> {
  // Every step does the work of a scriptable operation.
  return fixtures.inForce ? fixtures.take(name as Scriptable, payer.caller.accountId, asked) : undefined;
}

/** A scripted answer that was not charged for is given back. */
async function orderScripted(
  { fixtures }: StepContext,
  scripted: Scripted | undefined,
  order: () => Promise<unknown>,
): Promise<void> {
  await order().catch(async (error: unknown) => {
    if (scripted && !scripted.charged) await fixtures.giveBack(scripted).catch(() => undefined);
    throw error;
  });
}

/**
 * Checks the params of a step by the body of its operation, and then, where all are known, by the other checks before its
 * work. Returns the paths of unknown fields.
 */
export function checkBody<Schema extends z.ZodType>(
  reader: InputReader<Schema>,
  { params, isOpen }: { params: Params; isOpen: IsOpen },
  further: (body: z.output<Schema>) => void,
): string[] {
  const body = reader.tryRead(params, isOpen);
  if (body !== undefined) sparingOpen(isOpen, () => further(body));
  return reader.unknown(params);
}
