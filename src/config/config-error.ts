/** An option that cannot be used; the message names where it came from, the value met and what was expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
