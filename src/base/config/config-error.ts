/** An option that cannot be used; the message names its source, its value and what was expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
