import { createReplyWriter } from '../../media/text/reply-writer.ts';
import { CompletionWriter } from './completion-writer.ts';
import { ContentPolicy } from './content-policy.ts';
import { Songwriter } from './songwriter/songwriter.ts';

/** What writes and checks texts. They hold only the word lists of the package and a cache of their last texts. */
export interface Writers {
  readonly completions: CompletionWriter;
  readonly policy: ContentPolicy;
  readonly songwriter: Songwriter;
}

/** Each reads its word lists at its first use. */
export function openWriters(): Writers {
  return {
    completions: new CompletionWriter(createReplyWriter()),
    policy: new ContentPolicy(),
    songwriter: new Songwriter(),
  };
}
