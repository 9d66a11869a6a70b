/** The life of an app that runs beside a story. */
export interface KillableApp {
  /** Ends its process group at once; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on its port and folder; resolves when it is ready. */
  restart(): Promise<void>;
}
