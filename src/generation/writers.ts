import { createReplyWriter } from '../render/text/reply-writer.ts';
import { CompletionWriter } from './completion-writer.ts';
import { ContentPolicy } from './content-policy.ts';
import { Songwriter } from './songwriter/songwriter.ts';

/** Who writes and reads texts. They keep nothing but the words of the package, and what they have written of late. */
export interface Writers {
  readonly completions: CompletionWriter;
  readonly policy: ContentPolicy;
  readonly songwriter: Songwriter;
}

/** Each reads its words when it is first asked. */
export function openWriters(): Writers {
  return {
    completions: new CompletionWriter(createReplyWriter()),
    policy: new ContentPolicy(),
    songwriter: new Songwriter(),
  };
}
