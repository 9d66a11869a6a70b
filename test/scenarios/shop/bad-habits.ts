/** What a broken copy of the shop does wrong; a good one has none of it. */
export interface BadHabits {
  retries402?: boolean;
  ignoresRetryAfter?: boolean;
  repeatsLostOrders?: boolean;
  pollsWithoutPause?: boolean;
  keepsLinksInsteadOfFiles?: boolean;
  trustsAnySignature?: boolean;
  trustsOldSignatures?: boolean;
  worksBeforeItAnswers?: boolean;
}
