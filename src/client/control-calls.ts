import type { ControlConnection } from './control-connection.ts';
import type { ControlCalls } from './control-surface.ts';

/**
 * The operations are loaded when the first of them is called. Each throws `ControlError` with what the emulator refuses,
 * `NoEmulator` where none answers, and `TypeError` for a name that is none of theirs.
 */
export function controlCalls(control: ControlConnection): ControlCalls {
  const callOf = (name: string) => async (order?: object) => {
    const { carryCall } = await import('./carry-call.ts');
    return carryCall(control, name, order);
  };
  // Whoever awaits the whole by mistake must not call an operation named `then`.
  const isName = (name: string | symbol) => typeof name === 'string' && name !== 'then';
  return new Proxy({} as ControlCalls, { get: (_, name) => (isName(name) ? callOf(String(name)) : undefined) });
}
