import { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import { parse as parseTarget } from 'node:url';

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
