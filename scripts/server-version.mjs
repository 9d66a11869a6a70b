// `npm version` runs this: server.json contains the version of package.json.
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const server = readFileSync('server.json', 'utf8');
writeFileSync('server.json', server.replaceAll(/("version": ")[^"]*/g, `$1${version}`));
