import path from 'node:path';

/** Relative to the folder of the run. The emulator serves it at `/check`. */
export const CHECK_PAGE = path.join('.svc-check', 'check.html');
