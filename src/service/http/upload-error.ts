import multer from 'multer';
import { EmulatorError, invalid, quoted } from '../../base/errors.ts';

/** The field that carries the file, and the largest it may be in bytes. */
export interface UploadTerms {
  field: string;
  fileBytes: number;
}

/** What the multipart parser says of a body that it cannot read. */
const BROKEN = /^(?:Multipart:|Malformed|Missing Content-Type|Unexpected end|Request (?:aborted|closed))/;

/** Turns what multer and its parser throw into an error that names the field, the fault and the remedy. */
export function asUploadError(error: unknown, terms: UploadTerms): unknown {
  if (error instanceof multer.MulterError) return limitError(error, terms);
  const { message } = Object(error) as { message?: unknown };
  if (typeof message === 'string' && !(error instanceof EmulatorError) && BROKEN.test(message)) {
    return invalid(
      null,
      `The multipart body is broken (${message}). Send it whole, let the HTTP client write the boundary into the Content-Type header, and end the body with it.`,
      'C020',
    );
  }
  return error;
}

export function tooLarge({ field, fileBytes }: UploadTerms): EmulatorError {
  return new EmulatorError(
    'payload_too_large',
    `"${field}" is over ${fileBytes / 1_048_576} MiB, the most that a file may have. Send a smaller one.`,
    { param: field },
  );
}

export function noFile({ field }: UploadTerms): EmulatorError {
  return invalid(
    field,
    `"${field}" is missing: it must be a file part with a file name, as curl sends it with -F ${field}=@name.`,
  );
}

export function wrongType(type: string | undefined): EmulatorError {
  const got = type ? quoted(type) : 'none';
  return new EmulatorError(
    'unsupported_media_type',
    `The body must be a multipart form, and its content type is ${got}. Send the header Content-Type: multipart/form-data; boundary=…, which HTTP clients write by themselves when they are given a form.`,
  );
}

function limitError(error: multer.MulterError, terms: UploadTerms): EmulatorError {
  const field = error.field ?? null;
  const name = field === null ? 'A field' : quoted(field);
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge(terms);
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      if (field === null || field === terms.field) {
        return invalid(field, `Only one file may be sent. Send it in the field "${terms.field}".`);
      }
      return invalid(field, `Unknown field ${name}; send the file as "${terms.field}".`);
    case 'LIMIT_FIELD_VALUE':
      return invalid(field, `${name} is over 64 KiB, the most that a text field may have. Shorten it.`);
    default:
      return invalid(
        field,
        `The multipart form has a field that cannot be read: ${error.message}. Send at most 32 text fields, with plain names of at most 100 characters.`,
      );
  }
}
