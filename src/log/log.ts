/** The emulator's log: facts, and a message that says what they mean. */
export interface Log {
  info(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
}
