import { type Catalogue, type PaidOperation, paidOperationTraits } from '../../engine/catalogue/catalogue.ts';
import { type Directives, mergeDirectives } from '../../engine/faults/directives.ts';
import type { FaultableRoute, FaultTarget } from '../../engine/faults/fault-rule.ts';
import type { Operation } from '../http/operation.ts';

/** The properties of a request that a fault rule compares, except the test, which follows from the account. */
export type FaultTargetWithoutTest = Omit<FaultTarget, 'test'>;

const CDN: FaultableRoute = {
  destination: 'cdn',
  path: '/cdn/*',
  methods: ['GET', 'HEAD'],
  announces: false,
  hasTexts: false,
  hasAccount: true,
};

export function listFaultableRoutes(operations: readonly Operation[]): FaultableRoute[] {
  const points = operations.map((operation) => ({
    destination: 'service' as const,
    path: operation.path,
    methods: [operation.method],
    paid: operation.paid,
    announces: announces(operation),
    hasTexts: operation.body !== undefined,
    hasAccount: operation.access !== 'public' || operation.owner !== undefined,
  }));
  return [...points, CDN];
}

const SEPARATOR = '\u0000';

interface ModelRequest {
  catalogue: Catalogue;
  body: unknown;
}

export function createFaultTarget(
  request: ModelRequest,
  operation: Operation,
  site: Pick<FaultTarget, 'destination' | 'path' | 'accountId'>,
): FaultTargetWithoutTest {
  const { paid, method } = operation;
  const texts: string[] = [];
  const directives = readTexts(request.body, texts);
  return {
    ...site,
    method,
    directives,
    paid,
    announces: announces(operation),
    takeCount: paid === 'music.generation' ? Number(field(request.body, 'n') ?? 1) : 1,
    // The texts are joined, because one text is searched faster than many. The separator keeps a match from spanning
    // two texts.
    text: texts.join(SEPARATOR),
    model: paid && modelOfRequest(request, paid),
    streamed: field(request.body, 'stream') === true,
  };
}

function announces({ paid, announces: always }: Operation): boolean {
  return always === true || (paid !== undefined && paidOperationTraits(paid).announces === true);
}

function modelOfRequest({ catalogue, body }: ModelRequest, paid: PaidOperation) {
  const kind = paidOperationTraits(paid).model;
  const named = field(body, 'model');
  if (typeof named === 'string') return named;
  return kind === undefined || kind === 'chat' ? undefined : catalogue.standard(kind);
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

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
