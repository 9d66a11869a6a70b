import type { z } from 'zod';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { Scriptable } from '../../fixtures/subject.ts';
import type { OutputKind, Params, StepKind, StepPayer } from '../../flows/step-kind.ts';
import type { Scripted } from '../../generation/order.ts';
import type { StepContext } from '../../http/context.ts';
import type { Operation } from '../../http/operation.ts';
import { giveStrikeBack, targetOf } from '../../http/strike-call.ts';
import { strikeWork } from '../../http/strike-work.ts';
import { BodyReader } from '../body-reader.ts';
import { checkBody } from './check-body.ts';

/** A type of step as its file writes it. */
export interface OperationStep<Schema extends z.ZodType> {
  output: OutputKind;
  /** Whose work the step does: fault rules and scripted answers take it for a call of this. */
  operation: Operation;
  schema: Schema;
  /** What every step of this type says besides its params. */
  given?: Params;
  /** Throws what the operation would refuse before its work. */
  check(body: z.output<Schema>): void;
  /** What scripted answers are matched against. */
  asked(body: z.output<Schema>): ReturnType<NonNullable<Operation['asked']>>;
  order(body: z.output<Schema>, payer: StepPayer): Promise<unknown>;
}

/** Makes a kind of step that does the work of an operation, on the same road and struck by the same rules. */
export function operationStep<Schema extends z.ZodType>(context: StepContext, step: OperationStep<Schema>): StepKind {
  const reader = new BodyReader(step.schema);
  const whole = (params: Params) => ({ ...step.given, ...params });
  return {
    output: step.output,
    check: (params, isOpen) => checkBody(reader, { params: whole(params), isOpen }, step.check),
    async order(params, payer) {
      const body = reader.read(whole(params));
      step.check(body);
      const appliedFault = await strike(context, step.operation, { body, payer });
      const ordered = script(context, step.operation, { asked: step.asked(body), payer }).then((scripted) =>
        orderScripted(context, scripted, () => step.order(body, { ...payer, appliedFault, scripted })),
      );
      const giveBack = () => giveStrikeBack(context.faults, appliedFault);
      await ordered.then(giveBack, async (error: unknown) => {
        await giveBack();
        throw error;
      });
    },
  };
}

/** What fault rules do to the step, as to a call of its operation. */
async function strike(
  { faults, catalogue }: StepContext,
  operation: Operation,
  { body, payer }: { body: unknown; payer: StepPayer },
) {
  const { path, paid } = operation;
  const { accountId } = payer.caller;
  if (!faults.isArmed || !faults.looksAt({ path, accountId, paid })) return undefined;
  const target = targetOf({ catalogue, body }, operation, { surface: 'step', path, accountId });
  return strikeWork(faults, target, payer.gone);
}

async function script(
  { fixtures }: StepContext,
  { name }: Operation,
  { asked, payer }: { asked: Parameters<Fixtures['take']>[2]; payer: StepPayer },
): Promise<Scripted | undefined> {
  // Only operations that fixtures know are steps.
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
