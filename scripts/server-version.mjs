// `npm version` runs this. It copies the version of package.json to server.json.
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const server = readFileSync('server.json', 'utf8');
writeFileSync('server.json', server.replaceAll(/("version": ")[^"]*/g, `$1${version}`));
