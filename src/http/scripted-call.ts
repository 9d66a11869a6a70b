import type { Scriptable } from '../fixtures/subject.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { Operation } from './operation.ts';

/** Handles a call with the scripted answer that fits it, if any; one that was not charged for is given back. */
export async function answerScripted(
  { fixtures }: Pick<Context, 'fixtures'>,
  operation: Operation,
  call: Call<unknown, unknown>,
): Promise<unknown> {
  const asked = operation.asked?.(call.body);
  // Only operations that fixtures know tell what they were asked.
  const name = operation.name as Scriptable;
  const scripted = asked && (await fixtures.take(name, call.caller.accountId, asked));
  if (!scripted) return operation.handle(call);
  call.scripted = scripted;
  call.header('svc-emulator-fixture', scripted.fixture);
  try {
    return await operation.handle(call);
  } catch (error) {
    if (!scripted.charged) await fixtures.giveBack(scripted).catch(() => undefined);
    throw error;
  }
}
