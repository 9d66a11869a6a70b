import { z } from 'zod';
import type { JournalEntry } from '../journal/journal-record.ts';
import { answeredStep, directivesStep, receivedStep, validatedStep } from './explain-call.ts';
import { chargedStep, priceStep, refundedStep } from './explain-money.ts';
import { faultsStep, fixturesStep } from './explain-rules.ts';
import { type Step, type Story, type StoryParts, storyOf } from './story.ts';
import { summaryOf, tellingSteps } from './explain-deliveries.ts';
import { discardedStep, jobSteps, renderSteps, runStep, settledSteps } from './explain-work.ts';

/** What became of one request: each step in words; what stands beside the text is the same as data. */
export const explanation = z.strictObject({
  id: z.string(),
  account_id: z.string().nullable(),
  summary: z.string(),
  /** It belongs to a future that a restore has discarded. */
  discarded: z.literal(true).optional(),
  steps: z.array(z.object({ step: z.string(), text: z.string() }).catchall(z.unknown())),
});

export type Explanation = z.infer<typeof explanation>;

/** The chapters in the order in which they happen; each tells its steps, or nothing. */
const CHAPTERS: readonly ((story: Story) => Step | Step[] | undefined)[] = [
  receivedStep,
  discardedStep,
  validatedStep,
  directivesStep,
  faultsStep,
  fixturesStep,
  priceStep,
  chargedStep,
  jobSteps,
  renderSteps,
  settledSteps,
  refundedStep,
  runStep,
  answeredStep,
  tellingSteps,
];

/** Tells a request from what is on record of it: nothing is noted for it while the request is under way. */
export function explainRequest(context: StoryParts, entry: JournalEntry): Explanation {
  const story = storyOf(context, entry);
  return {
    id: entry.id,
    account_id: entry.account_id,
    summary: summaryOf(story),
    discarded: entry.discarded,
    steps: CHAPTERS.flatMap((tell) => tell(story) ?? []),
  };
}
