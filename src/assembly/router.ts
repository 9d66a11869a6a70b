import type { ServerResponse } from 'node:http';
import { SERVICE } from '../api/routes.ts';
import { type CdnAnswer, isCdn, readCdn, sealCdn } from '../cdn/read-cdn.ts';
import { HOOKS } from '../hooks/call-flow.ts';
import type { Context } from '../http/context.ts';
import { Edge } from '../http/edge.ts';
import type { Operation } from '../http/operation.ts';
import { Router } from '../http/router.ts';
import type { Answer } from '../http/server.ts';
import type { ServiceRequest } from '../http/service-request.ts';

/** What is there from the start; what it takes is a few milliseconds of each. */
export const SERVED: readonly Operation[] = [...SERVICE, ...HOOKS];

/** The emulator's own surface is large, and many a process never hears of it. */
export async function loadControl(): Promise<readonly Operation[]> {
  const { CONTROL } = await import('../control/control-routes.ts');
  return CONTROL;
}

/**
 * What every request passes, then the files under `/cdn`, the operations of the service and of the hooks, and what is
 * loaded when it is first asked for: the operations of the control surface, and the layers of the framework.
 */
export class RequestRouter {
  readonly #edge: Edge;
  readonly #operations: Router;
  readonly #cdn: CdnAnswer;
  /** Its operations are among the others once it is there. */
  readonly #control: Lazy<void>;
  readonly #layers: Lazy<Answer>;

  /** `token`: what the control surface wants. */
  constructor(context: Context, token: string | undefined) {
    const edge = new Edge(context, token);
    const fail: Edge['answerError'] = (...failed) => edge.answerError(...failed);
    const operations = new Router(SERVED, context, fail);
    this.#edge = edge;
    this.#operations = operations;
    this.#cdn = readCdn(context);
    this.#control = new Lazy(async () => operations.add(await loadControl()));
    this.#layers = new Lazy(async () => {
      const { createExpressFallback } = await import('./express-fallback.ts');
      return createExpressFallback(context, { edge, token, paths: () => operations.paths });
    });
  }

  readonly answer: Answer = (request, response) => {
    try {
      sealCdn(request, response);
      if (this.#edge.pass(request, response)) this.#serve(request, response);
    } catch (error) {
      this.#edge.answerError(request, response, error);
    }
  };

  /** Loads what no first request shall wait for. */
  async load(): Promise<void> {
    await this.#control.load();
    await this.#layers.load();
  }

  #serve(request: ServiceRequest, response: ServerResponse): void {
    if (isCdn(request.path)) {
      this.#wait(this.#cdn(request, response), request, response);
      return;
    }
    const handle = this.#operations.handlerOf(request);
    if (handle) void handle(request, response);
    else if (!this.#control.isThere) this.#after(this.#control, request, response);
    else if (this.#layers.value) this.#layers.value(request, response);
    else this.#after(this.#layers, request, response);
  }

  #after(loaded: Lazy<unknown>, request: ServiceRequest, response: ServerResponse): void {
    const served = loaded.load().then(() => this.#serve(request, response));
    this.#wait(served, request, response);
  }

  #wait(work: Promise<void>, request: ServiceRequest, response: ServerResponse): void {
    work.catch((error: unknown) => this.#edge.answerError(request, response, error));
  }
}

/** A value that is made once, when it is first wanted. */
class Lazy<T> {
  readonly #make: () => Promise<T>;
  #making: Promise<T> | undefined;
  #isThere = false;
  #value: T | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  get isThere(): boolean {
    return this.#isThere;
  }

  get value(): T | undefined {
    return this.#value;
  }

  /** A load that failed is tried again by the next call. */
  load(): Promise<T> {
    this.#making ??= this.#make().then(
      (value) => {
        this.#isThere = true;
        this.#value = value;
        return value;
      },
      (error: unknown) => {
        this.#making = undefined;
        throw error;
      },
    );
    return this.#making;
  }
}
