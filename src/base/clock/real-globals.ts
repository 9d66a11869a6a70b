import * as importedUtil from 'node:util';
import { runInThisContext } from 'node:vm';

/**
 * Globals of Node's main context, read before most test runners replace them. Requests and waits must continue even if a
 * test stops the time, or if jsdom removes or replaces a global. The build puts these in place of the global names.
 */
const node: typeof globalThis = runInThisContext('globalThis');
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = node;
const { queueMicrotask, performance, Date: RealDate } = node;
const RealEvent: typeof globalThis.Event = node.Event;
const { EventTarget, MessageChannel, MessageEvent, MessagePort } = node;
const { ReadableStream, WritableStream, TransformStream, TextDecoder, TextEncoder, URL, URLSearchParams } = node;
const { structuredClone } = node;
/** Node's own `process`, because Jest gives tests a copy of it, which gets no events. */
export const realProcess: NodeJS.Process = node.process;
/** Node 18 has no `getBuiltinModule`, and must load this module to report that it is too old. */
const util = realProcess.getBuiltinModule?.('node:util') ?? importedUtil;
/** Vitest replaces AbortController and AbortSignal by those of happy-dom or jsdom before it loads a test file. */
const { constructor: aborting } = util.transferableAbortController();
const RealAbortController = aborting as typeof AbortController;
const RealAbortSignal = new RealAbortController().signal.constructor as typeof AbortSignal;

export {
  clearImmediate,
  clearInterval,
  clearTimeout,
  EventTarget,
  MessageChannel,
  MessageEvent,
  MessagePort,
  performance,
  queueMicrotask,
  ReadableStream,
  RealAbortController as AbortController,
  RealAbortSignal as AbortSignal,
  RealDate as Date,
  RealEvent as Event,
  setImmediate,
  setInterval,
  setTimeout,
  structuredClone,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  WritableStream,
};

export const areTimersReplaced = 'clock' in setTimeout || 'clock' in setImmediate || 'clock' in RealDate;

export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
