/** What sets a clock for all of a run, such as faketime: processes whose environment is a clean one are told of it too. */
export const RUN_CLOCK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:LD_PRELOAD|FAKETIME\w*|DONT_FAKE_MONOTONIC)$/.test(name)),
);
