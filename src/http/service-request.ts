import { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import { parse as parseTarget } from 'node:url';

/** A request with the parts of its target: of the road's own making, or as the framework gives it. */
export interface ServiceRequest extends IncomingMessage {
  method: string;
  url: string;
  /** The target as it came. */
  readonly originalUrl: string;
  /** Without the query, as it came: neither decoded nor made shorter. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** What stands in the path where an operation has a parameter, decoded. */
  params: Readonly<Record<string, unknown>>;
  /** A header. */
  get(name: string): string | undefined;
}

const NO_PARAMS: Readonly<Record<string, unknown>> = {};

/** What the server makes of each request. */
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

/** What guards a path and what answers it must read it alike: the framework reads the rare ones by the same function. */
function partsOf(target: string): { path: string; search: string } {
  if (!target.startsWith('/') || target.includes('#')) {
    const { pathname, query } = parseTarget(target);
    return { path: pathname ?? '/', search: query ?? '' };
  }
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}
