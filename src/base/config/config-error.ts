/** An unusable option. The message names its source, its value and the accepted values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
