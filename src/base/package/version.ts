import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFolder } from './fixture-folder.ts';

/** The version of this package. */
export const VERSION: string = JSON.parse(readFileSync(path.join(packageFolder(), 'package.json'), 'utf8')).version;
