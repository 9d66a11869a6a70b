import fc from 'fast-check';

/** Any code point except surrogates, as the `unit` of a string. The unit `binary` takes two seconds to prepare. */
export const ANY_CHARACTER = fc.nat(0x10f7ff).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));
