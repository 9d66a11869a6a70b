import { IncomingMessage, type ServerResponse } from 'node:http';
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import { parse as parseTarget } from 'node:url';
import type { Caller } from '../accounts/account-store.ts';
import type { CallFacts, Lying, WholeAnswer } from './call-facts.ts';

/** What is known of a request from its first byte on; the journal reads it when the connection is done with it. */
export class RequestContext {
  readonly requestId: string;
  /** Milliseconds: the emulator's time, and the machine's for the duration. */
  readonly received: number;
  readonly began: number;
  readonly facts: CallFacts = {};
  /** Which volume of the journal it belongs to: a reset begins another. */
  volume: number;
  baseUrl = '';
  /** A read by the dashboard itself: it is not recorded. */
  isPageRead = false;
  caller: Caller | undefined;
  /** The JSON body as it came. */
  body: Buffer | undefined;
  answer: string | undefined;
  /** Set where a lie is armed or watched for. */
  lying: Lying | undefined;
  /** The names of the lies that were told, what was sent, and the answer in whose place it was. */
  lie: string | undefined;
  response: WholeAnswer | undefined;
  truth: WholeAnswer | undefined;
  /** Its operation is running, whether or not the client waits for the answer; `whenDone` is called after that. */
  isAtWork = false;
  whenDone: (() => void) | undefined;
  /** Returns the memory of a large body to its pool, once the journal has copied what it keeps. */
  giveBack: (() => void) | undefined;
  /** Headers of the answer, but for what is set on the response itself: names and values in turn. */
  readonly headers: string[] = [];

  constructor(requestId: string, times: { received: number; began: number; volume: number }) {
    this.requestId = requestId;
    this.received = times.received;
    this.began = times.began;
    this.volume = times.volume;
  }

  /** A header of the answer; the last value counts. */
  setHeader(name: string, value: string): void {
    const at = this.#indexOf(name);
    if (at === -1) this.headers.push(name, value);
    else this.headers[at + 1] = value;
  }

  header(name: string): string | undefined {
    const at = this.#indexOf(name);
    return at === -1 ? undefined : this.headers[at + 1];
  }

  /** There are a handful at most. */
  #indexOf(name: string): number {
    for (let at = 0; at < this.headers.length; at += 2) if (this.headers[at] === name) return at;
    return -1;
  }
}

const CONTEXT = Symbol('request context');

type WithContext = ServerResponse & { [CONTEXT]?: RequestContext };

export function attachRequestContext(response: ServerResponse, requestContext: RequestContext): void {
  (response as WithContext)[CONTEXT] = requestContext;
}

export function requestContextOf(response: ServerResponse): RequestContext {
  const requestContext = (response as WithContext)[CONTEXT];
  if (!requestContext) throw new Error('the response has no request context');
  return requestContext;
}

/** Aborts when the client hangs up before its answer is out. */
export function watchGone(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const end = () => {
    if (!response.writableFinished) controller.abort(new Error('the client has hung up'));
  };
  if (response.destroyed) end();
  response.once('close', end);
  return controller;
}

/** A request with the parts of its target, as the server creates it or as the framework does. */
export interface ServiceRequest extends IncomingMessage {
  method: string;
  url: string;
  /** The target as it came. */
  readonly originalUrl: string;
  /** Without the query, as it came: neither decoded nor made shorter. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The values of the parameters of the path, decoded. */
  params: Readonly<Record<string, unknown>>;
  /** A header. */
  get(name: string): string | undefined;
}

const NO_PARAMS: Readonly<Record<string, unknown>> = {};

/** The requests that the server creates. */
export class RoutedRequest extends IncomingMessage implements ServiceRequest {
  declare method: string;
  declare url: string;
  params = NO_PARAMS;
  #target: { path: string; search: string } | undefined;

  get originalUrl(): string {
    return this.url;
  }

  get path(): string {
    this.#target ??= partsOf(this.url);
    return this.#target.path;
  }

  get query(): ParsedUrlQuery {
    this.#target ??= partsOf(this.url);
    return parseQuery(this.#target.search);
  }

  get(name: string): string | undefined {
    const value = this.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }
}

/** Guards and router must parse a path alike: the framework parses unusual targets by the same function. */
function partsOf(target: string): { path: string; search: string } {
  if (!target.startsWith('/') || target.includes('#')) {
    const { pathname, query } = parseTarget(target);
    return { path: pathname ?? '/', search: query ?? '' };
  }
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}
