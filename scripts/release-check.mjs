// `npm publish` runs this first. It exits with code 1 if package.json, server.json or a page is not ready for a release.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const read = (file) => readFileSync(file, 'utf8');
const { version, repository, bugs, mcpName } = JSON.parse(read('package.json'));
const server = JSON.parse(read('server.json'));

const PLACEHOLDER = 'OWNER';
const ADDRESS = /^(?:git\+)?https:\/\/[^/]+\/[^/]+/;
const TARBALL = /svc-emulator-\d+\.\d+\.\d+\.tgz/;

const faults = [
  ...addressFaults('repository', repository?.url ?? repository),
  ...addressFaults('bugs', bugs?.url ?? bugs),
  ...(server.name.includes(PLACEHOLDER)
    ? [`"name" in server.json is ${server.name}; replace ${PLACEHOLDER} with your account.`]
    : []),
  ...(mcpName === server.name ? [] : ['"mcpName" in package.json must be equal to "name" in server.json.']),
  ...(server.version === version && server.packages.every((each) => each.version === version)
    ? []
    : [`The versions in server.json must be ${version}, as in package.json.`]),
  ...pages()
    .filter((page) => TARBALL.test(read(page)))
    .map((page) => `${page} installs the package from a file; tell how to install it from npm.`),
];

for (const fault of faults) console.error(`release-check: ${fault}`);
if (faults.length > 0) {
  console.error('release-check: Nothing was published. See docs/project/releasing.md.');
  process.exitCode = 1;
}

function addressFaults(field, address) {
  if (address === undefined) return [`"${field}" is missing in package.json; add the https address.`];
  if (ADDRESS.test(address) && !address.includes(PLACEHOLDER)) return [];
  return [`"${field}" in package.json is ${address}; expected an https address without ${PLACEHOLDER}.`];
}

/** Pages that tell how to install the package. */
function pages() {
  const docs = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const examples = readdirSync('examples').map((name) => `examples/${name}/README.md`);
  return ['README.md', ...docs.map((name) => `docs/${name}`), ...examples.filter((page) => existsSync(page))];
}
