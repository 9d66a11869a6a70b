import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('../support/loopback-only.mjs', import.meta.url));

/** The environment of a program that reaches this machine only, and what it prints of whoever asks for another. */
export const CUT_OFF = { NODE_OPTIONS: `--import ${PRELOAD}` };
export const REFUSED = /loopback-only refused/;
