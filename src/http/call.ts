import type { ServerResponse } from 'node:http';
import type { Caller } from '../accounts/account-store.ts';
import type { PromptTurn } from '../journal/redaction.ts';
import type { Subsystems } from '../subsystems.ts';
import { FieldList } from './field-list.ts';
import type { Upload } from './upload.ts';

/** What the journal keeps of a call beside request and answer. */
export interface CallFacts {
  operation?: string;
  credits?: number;
  jobIds?: string[];
  /** For chat: the engine prompt as assembled. */
  enginePrompt?: readonly PromptTurn[];
}

/** One request on its way through an operation. */
export class Call<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  readonly params: Record<string, string>;
  readonly file: Upload | undefined;
  readonly emulator: Subsystems;
  /** Scheme, host and port under which the caller reached the emulator: URLs in the answer are built on it. */
  readonly baseUrl: string;
  readonly requestId: string;
  readonly facts: CallFacts = {};
  readonly #caller: Caller | undefined;
  readonly #response: ServerResponse;
  readonly #warnings = new FieldList();
  readonly #dropped = new FieldList();
  #gone: AbortController | undefined;

  constructor(parts: CallParts) {
    this.query = parts.query as Query;
    this.body = parts.body as Body;
    this.params = parts.params;
    this.file = parts.file;
    this.emulator = parts.emulator;
    this.baseUrl = parts.baseUrl;
    this.requestId = parts.requestId;
    this.#caller = parts.caller;
    this.#response = parts.response;
  }

  /** Whom the key speaks for. */
  get caller(): Caller {
    if (!this.#caller) throw new Error('a public operation has no caller');
    return this.#caller;
  }

  /** A parameter of the path. */
  param(name: string): string {
    return this.params[name] ?? '';
  }

  /** Aborts when the client hangs up. */
  get gone(): AbortSignal {
    this.#gone ??= watchGone(this.#response);
    return this.#gone.signal;
  }

  /** Names a field that was ignored, with the reason where it is not simply unknown. */
  warn(field: string): void {
    if (this.#warnings.add(field)) this.header('svc-emulator-warnings', this.#warnings.text);
  }

  /** Names a field that the engine does not support and that was left out. */
  drop(field: string): void {
    if (this.#dropped.add(field)) this.header('svc-emulator-dropped', this.#dropped.text);
  }

  header(name: string, value: string | number): void {
    this.#response.setHeader(name, value);
  }
}

export interface CallParts {
  query: unknown;
  body: unknown;
  params: Record<string, string>;
  file: Upload | undefined;
  emulator: Subsystems;
  baseUrl: string;
  requestId: string;
  caller: Caller | undefined;
  response: ServerResponse;
}

function watchGone(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const end = () => {
    if (!response.writableFinished) controller.abort(new Error('the client has hung up'));
  };
  if (response.destroyed) end();
  response.once('close', end);
  return controller;
}
