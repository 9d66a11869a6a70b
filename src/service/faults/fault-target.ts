import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import { type Directives, mergeDirectives } from '../../engine/faults/directives.ts';
import type { FaultPoint, FaultTarget } from '../../engine/faults/fault-rule.ts';
import { type PaidOperation, paidWork } from '../../engine/faults/paid-work.ts';
import type { Operation } from '../http/operation.ts';

/** Reads of the CDN belong to the account whose file is read. */
const CDN: FaultPoint = {
  surface: 'cdn',
  path: '/cdn/*',
  methods: ['GET', 'HEAD'],
  announces: false,
  hasTexts: false,
  hasAccount: true,
};

/** Where fault rules can act: the operations of the service and of flows, and the reads of the CDN. */
export function faultPoints(operations: readonly Operation[]): FaultPoint[] {
  const points = operations.map((operation) => ({
    surface: 'service' as const,
    path: operation.path,
    methods: [operation.method],
    paid: operation.paid,
    announces: announces(operation),
    hasTexts: operation.body !== undefined,
    hasAccount: operation.access !== 'public' || operation.owner !== undefined,
  }));
  return [...points, CDN];
}

/** Separates the texts of a request; no rule looks for it. */
const SEPARATOR = '\u0000';

/** The validated body of a request or of a step, and the catalogue of its models. */
export interface ModelRequest {
  catalogue: Catalogue;
  body: unknown;
}

/** A request, or a step of a run, as fault rules see it. */
export function targetOf(
  request: ModelRequest,
  operation: Operation,
  site: Pick<FaultTarget, 'surface' | 'path' | 'accountId'>,
): FaultTarget {
  const { paid, method } = operation;
  const texts: string[] = [];
  const directives = readTexts(request.body, texts);
  return {
    ...site,
    method,
    directives,
    paid,
    announces: announces(operation),
    takes: paid === 'music.generation' ? Number(field(request.body, 'n') ?? 1) : 1,
    // One text is searched faster than many, and no match can span two of them.
    text: texts.join(SEPARATOR),
    model: paid && modelOf(request, paid),
    streamed: field(request.body, 'stream') === true,
  };
}

/** Whether webhooks announce the end of what an operation starts. */
function announces({ paid, announces: always }: Operation): boolean {
  return always === true || (paid !== undefined && paidWork(paid).announces === true);
}

/** The model that a request names, or else the default of its kind. */
export function modelOf({ catalogue, body }: ModelRequest, paid: PaidOperation) {
  const kind = paidWork(paid).model;
  const named = field(body, 'model');
  if (typeof named === 'string') return named;
  return kind === undefined || kind === 'chat' ? undefined : catalogue.standard(kind);
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** Collects the texts of a validated body, except for pictures in them; returns the directives that the texts had. */
function readTexts(value: unknown, texts: string[]): Directives {
  if (typeof value === 'string') {
    if (!/^data:/i.test(value)) texts.push(value);
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  if ('directives' in value && 'text' in value && typeof value.text === 'string') {
    texts.push(value.text);
    return value.directives as Directives;
  }
  return Object.values(value)
    .map((each) => readTexts(each, texts))
    .reduce(mergeDirectives, {});
}
