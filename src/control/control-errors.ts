/** `code` and `param` are those of the returned error. */
export class ControlError extends Error {
  override name = 'ControlError';
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, error: { code: string; message: string; param: string | null }) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.param = error.param;
  }
}

export class NotAnEmulator extends TypeError {
  override name = 'NotAnEmulator';
}

export class NoEmulator extends TypeError {
  override name = 'NoEmulator';
}
