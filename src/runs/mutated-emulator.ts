import { operationsOver, type Transport } from '../client/call-operation.ts';
import { type LieReport, lieOrders } from './lie-relay.ts';
import type { LieSwitch } from './runner.ts';

interface MutatedParts {
  /** Where orders are asked for and reports go. */
  url: string;
  lies: LieSwitch;
  control: Transport;
}

/**
 * Has an emulator of a suite that `svc-emulator mutate` runs say what it is to say; the function that is answered reports
 * what became of that, before the emulator is closed. Throws where the run cannot be reached.
 */
export async function joinMutation({ url, lies, control }: MutatedParts): Promise<() => Promise<void>> {
  const answer = await fetch(url);
  const { dead, observe, armed } = lieOrders.parse(await answer.json());
  lies.setDead(dead);
  await lies.observe(observe);
  const orders = armed.map(({ id, lie, field, site }) => ({
    ...{ id, lie },
    ...(field === undefined ? {} : { field }),
    ...(site === undefined ? {} : { site }),
  }));
  await lies.arm(orders);
  return async () => {
    const body = JSON.stringify(await reportOf(lies, control));
    // A run that is over takes no reports.
    await fetch(url, { method: 'POST', body }).catch(() => undefined);
  };
}

const ALL = 1000;

async function reportOf(lies: LieSwitch, control: Transport): Promise<LieReport> {
  const { data } = await operationsOver(control)('listRequests', { limit: ALL, brief: 'true' });
  return {
    requests: data.filter(({ path }) => path.startsWith('/v1')).length,
    reached: lies.reached().map(({ lie, field, site, account_id }) => ({ lie, field, site, account_id })),
    told: lies.told().map(({ id, times, refused }) => ({ id, times, refused })),
  };
}
