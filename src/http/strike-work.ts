import { EmulatorError } from '../errors.ts';
import type { Effect, FaultRule, FaultTarget } from '../faults/fault-rule.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import { injectedStatus } from '../faults/injected-status.ts';
import type { JobFaults, Struck } from '../faults/struck.ts';

/**
 * What fault rules and the latency profile do to work that no request brought: a step of a run. Throws where a request
 * would be answered with a status or lose its connection, holds the work up, or answers what it is to suffer.
 */
export async function strikeWork(
  faults: FaultRules,
  target: FaultTarget,
  gone: AbortSignal,
): Promise<Struck | undefined> {
  const [rule, drawn] = await Promise.all([faults.strike(target), faults.drawLatency(target)]);
  if (!rule) return drawn;
  const { status, code, retry_after, drop, delay_ms } = rule.effect;
  if (status !== undefined) throw injectedStatus(status, code, retry_after);
  if (drop) throw dropped();
  if (delay_ms === undefined) return struckBy(rule, drawn);
  await faults.waits.wait(delay_ms, gone);
  return drawn;
}

/** The rule wins over the profile; one that spoils a stream needs a stream, not a failure. */
export function struckBy({ id, effect }: FaultRule, drawn: Struck | undefined): Struck {
  const fail = effect.fail_job ?? (effect.stream ? undefined : drawn?.fail);
  const { slowSeconds, spreadSeconds } = drawn ?? {};
  const job = jobFaults(effect);
  return {
    rule: id,
    ...(fail === undefined ? {} : { fail }),
    ...(slowSeconds === undefined ? {} : { slowSeconds }),
    // A stream that a rule paces has no other pace.
    ...(effect.stream ? { stream: effect.stream } : spreadSeconds === undefined ? {} : { spreadSeconds }),
    ...(job ? { job } : {}),
  };
}

function jobFaults({ webhook, crash }: Effect): JobFaults | undefined {
  if (webhook) return { webhook };
  return crash ? { crash } : undefined;
}

function dropped(): EmulatorError {
  return new EmulatorError('render_failed', 'The connection was reset, as a fault rule asked; nothing was charged.');
}
