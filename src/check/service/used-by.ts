import { fieldsIn, operationOf } from '../../control/trace/choices-in-use.ts';
import type { RecordedRun } from '../../control/trace/recorded-run.ts';
import type { IsUsed } from './drift-report.ts';

/** What a client has met of an operation. */
interface Met {
  /** Names of fields in its answers. */
  names: Set<string>;
  /** Classes of statuses, such as 2 or 4. */
  classes: Set<number>;
}

/** Whether a client meets what a result is about: its operation, its field there, and such an answer. */
export function usedBy({ exchanges }: RecordedRun): IsUsed {
  const met = new Map<string, Met>();
  for (const exchange of exchanges) {
    const operation = operationOf(exchange) ?? '';
    const row = met.get(operation) ?? { names: new Set(), classes: new Set() };
    met.set(operation, row);
    row.classes.add(Math.floor(exchange.status / 100));
    for (const name of fieldsIn(exchange.answer)) row.names.add(name);
  }
  return ({ operation, what, path }, isRefusal) => {
    const row = met.get(operation);
    if (!row?.classes.has(isRefusal ? 4 : 2)) return false;
    if (what !== 'field' && what !== 'form' && what !== 'word') return true;
    // A field that is new has the names of those around it.
    const steps = (path ?? '').split('.').filter((step) => step !== '*');
    return steps.length < 2 || steps.slice(0, -1).every((step) => row.names.has(step));
  };
}
