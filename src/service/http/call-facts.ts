import type { ChoiceId } from '../../base/errors.ts';
import type { PromptTurn } from '../../engine/journal/redaction.ts';
import type { Entry } from '../../engine/ledger/ledger.ts';

/** What a call notes as it runs, for the journal: references to values that exist anyway. */
export interface CallFacts {
  operation?: string;
  /** What it cost, net; set with its answer. */
  credits?: number;
  /** What it was charged, refunded or not. */
  charges?: readonly Entry[];
  /** The run of a flow that it started. */
  runId?: string;
  /** The account of a request without a key: of a call of the control surface, the one that its body names. */
  accountId?: string;
  /** Of a call of the control surface: the id of the record that it answers. */
  ref?: string;
  /** The first fault rule that applied to it. */
  fault?: string;
  /** For chat: the engine prompt as assembled. */
  enginePrompt?: readonly PromptTurn[];
  /**
   * The error that it was answered with. `left` is what there was to pay with, where that was too little; `choice` that by
   * which it was refused; `asked` says that a test asked for it.
   */
  error?: {
    code: string;
    message: string;
    left?: number | undefined;
    choice?: ChoiceId | undefined;
    asked?: true | undefined;
  };
  /** Of an upload: how large its file is. */
  bytes?: number;
  /** The same for uploads of the same file with the same fields, however the form is written. */
  form?: string;
  /** It was answered with a stream that began. */
  streamed?: true;
  /** The jobs that its answer shows, with the status shown. */
  shown?: readonly { id: string; status: string }[];
}
