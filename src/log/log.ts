/** What the emulator tells the person who started it: facts, and a message that says what they mean. */
export interface Log {
  info(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
}
