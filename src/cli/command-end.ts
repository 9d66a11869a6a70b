/** The exit codes of every command. */
export const EXIT = { success: 0, failure: 1, wrongUse: 2, folderInUse: 3, innerFault: 70 } as const;

/** Ends a command with an exit code of its own; `message` is the line on standard error, if there is one to say. */
export class CommandEnd extends Error {
  override name = 'CommandEnd';
  readonly exitCode: number;

  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}
