import { type EmulatorError, invalidRequestError, quoted } from '../../base/errors.ts';
import type { ReferenceMediaReader } from '../../engine/storage/references.ts';
import { hostWithoutBrackets, reasonHostIsPrivate } from '../../engine/webhooks/hosts.ts';
import type { BaseContext } from './context.ts';
import { packFieldWithReason } from './field-list.ts';

export interface UrlField {
  field: string;
  url: string;
}

/**
 * Returns warnings of URLs on this machine or in a private network, except the emulator's own. In strict mode the first
 * one throws `invalid_request`.
 */
export function privateUrlWarnings(
  { config, storage }: Pick<BaseContext, 'config' | 'storage'>,
  given: readonly UrlField[],
): string[] {
  return given.flatMap(({ field, url }) => {
    const fault = unreachable(storage.references, url);
    if (fault === undefined) return [];
    if (config.strict) throw refusal(field, url, fault);
    return [packFieldWithReason(field, 'unreachable-host')];
  });
}

function unreachable(references: ReferenceMediaReader, text: string): string | undefined {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  return url && !references.isOwn(url) ? reasonHostIsPrivate(hostWithoutBrackets(url)) : undefined;
}

function refusal(field: string, url: string, fault: string): EmulatorError {
  return invalidRequestError(
    field,
    `${field} ${fault} (${quoted(url)}), where the service cannot fetch a file. Give a data URL or the URL of a public host, or start without --strict.`,
    'C282',
  );
}
