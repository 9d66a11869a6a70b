import type { OperationName } from './call-operation.ts';
import { subjectOfPath } from './control-operation.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';

type Subject<Path = (typeof OPERATION_ROUTES)[OperationName][1]> = Path extends `/_emulator/${infer First}/${string}`
  ? First
  : Path extends `/_emulator/${infer Whole}`
    ? Whole
    : never;

/**
 * The resources of `/_emulator` that each kind of change may affect. A GET to the service that got a response is a
 * `read`; any other request to the service is a `call`.
 */
const AFFECTED: Partial<Record<string, readonly Subject[]>> = {
  job: ['jobs', 'library', 'accounts', 'timeline', 'requests', 'runs'],
  run: ['runs', 'accounts', 'jobs', 'library', 'timeline'],
  event: ['events', 'timeline', 'runs'],
  delivery: ['deliveries', 'endpoints', 'timeline'],
  hold: ['holds', 'requests'],
  message: ['inbox'],
  call: ['accounts', 'jobs', 'library', 'endpoints', 'objects', 'faults', 'fixtures', 'search'],
  read: ['search'],
  flows: ['flows', 'runs'],
  notes: ['record', 'timeline'],
  clock: ['clock', 'jobs', 'runs', 'library', 'events', 'deliveries', 'accounts'],
  keys: ['accounts'],
};

const READS = Object.entries(OPERATION_ROUTES).filter(([, [method]]) => method === 'GET');

export function findAffectedOperationNames(cause: string): readonly string[] {
  const subjects: readonly string[] = AFFECTED[cause] ?? [cause];
  return READS.flatMap(([name, [, path]]) => (subjects.includes(subjectOfPath(path)) ? [name] : []));
}
