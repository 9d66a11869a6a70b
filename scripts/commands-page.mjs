/** The text of docs/commands.md, made from the definitions of the command line. */
export function commandsPage({ createProgram, OPTIONS, flagOf }) {
  const commands = createProgram().commands.filter((command) => !command._hidden);
  return [
    BEGIN,
    ...commands.map((command) => sectionOf(command, OPTIONS)),
    connectionOptions(commands),
    emulatorOptions({ OPTIONS, flagOf }),
  ].join('\n');
}

const BEGIN = `# Commands and options

Look up every command and option. \`svc-emulator COMMAND --help\` prints the same text.

## Set an option

| Place | Example |
| --- | --- |
| command line | \`svc-emulator start --max-disk 1GiB --strict\` |
| variable | \`SVC_EMULATOR_MAX_DISK=1GiB SVC_EMULATOR_STRICT=true svc-emulator start\` |
| file | \`svc-emulator.config.json\`: \`{"maxDisk": "1GiB", "strict": true}\` |
| program | \`await startEmulator({ maxDisk: '1GiB', strict: true })\` |

An option overrides its variable, a variable overrides the file, and the file overrides the default. A command reads
\`svc-emulator.config.json\` in the current folder, or the file that \`--config\` names. Paths in the file are relative to its folder. With this
schema, editors suggest options and check values:

\`\`\`json
{
  "$schema": "./node_modules/svc-emulator/schemas/config.schema.json",
  "port": 4601,
  "maxDisk": "1GiB",
  "strict": true,
  "forward": ["https://app.example.com=http://localhost:3000"]
}
\`\`\`

\`startEmulator\` reads no variables, and reads a file only if its option \`config\` names one. If an option is unknown or its value
is wrong, the command exits with code 2. An unknown variable is reported on standard error and ignored.

The data folder (\`--data-dir\`) contains all state and is private to its owner. A folder with other files is rejected. After
SIGTERM or SIGINT, the emulator stops within 5 s.

For clients that accept only https, put a reverse proxy such as Caddy or nginx in front of the emulator. Start the
emulator with \`--public-url https://your.host\`. Configure the proxy to send the original \`Host\` header, or \`Host: 127.0.0.1\`.
`;

function sectionOf(command, OPTIONS, parent) {
  const isOfEmulator = (option) => option.description.startsWith(OPTIONS[option.attributeName()]?.help);
  const name = parent ? `${parent.name()} ${command.name()}` : command.name();
  const inherited = command.options.filter((option) => parent?.options.some((each) => isSameOption(each, option)));
  const isRemote = connectionOf(command).length > 0;
  const own = command.options.filter(
    (option) =>
      !isOfEmulator(option) && !option.hidden && !(isRemote && isOfConnection(option)) && !inherited.includes(option),
  );
  const shared = command.options.length > own.length + inherited.length;
  const words = command.registeredArguments.map(
    (each) => `| \`${nameOf(each)}\` | ${cell(sentence(each.description))} |`,
  );
  const rows = [...words, ...own.map((option) => `| \`${option.flags}\` | ${cell(meaningOf(option))} |`)];
  const usage = `\`svc-emulator ${name} ${command.usage()}\`.`.replace(' [command]`', ' COMMAND`');
  const begin = [`## ${name}`, '', `${capital(command.description())}: ${usage}`, ''];
  const table = rows.length === 0 ? [] : ['| Option | Meaning |', '| --- | --- |', ...rows, ''];
  const note = isRemote ? [REMOTE_NOTE, ''] : shared ? [sharedNote(command.options.filter(isOfEmulator)), ''] : [];
  const same = inherited.length === 0 ? [] : [inheritedNote(inherited, parent), ''];
  const below = command.commands.map((each) => sectionOf(each, OPTIONS, command));
  return [...begin, ...table, ...same, ...note, ...below].join('\n');
}

function isSameOption(a, b) {
  return a.flags === b.flags && a.description === b.description;
}

function inheritedNote(options, parent) {
  const names = options.map(({ long }) => `\`${long}\``);
  return `It also accepts these options of [${parent.name()}](#${parent.name()}): ${LIST.format(names)}.`;
}

const REMOTE_NOTE = 'It also accepts the [connection options](#connection-options).';

function isOfConnection({ long }) {
  return ['--host', '--port', '--control-token', '--config'].includes(long);
}

/** The options by which a command finds a running emulator; empty if it starts one itself. */
function connectionOf(command) {
  const options = command.options.filter(isOfConnection);
  return options.some(({ description }) => description.startsWith('connect to')) ? options : [];
}

function connectionOptions(commands) {
  const [options] = commands.map(connectionOf).filter(({ length }) => length > 0);
  const rows = options.map((option) => `| \`${option.flags}\` | ${cell(meaningOf(option))} |`);
  return ['## Connection options', '', '| Option | Meaning |', '| --- | --- |', ...rows, ''].join('\n');
}

/** `a, b and c`. */
const LIST = new Intl.ListFormat('en-GB');

/** A sentence with the emulator options that a command accepts: all, or a few by name. */
function sharedNote(options) {
  const names = options.map(({ long }) => `\`${long}\``);
  if (names.length === 1) return `It also accepts the [emulator option](#emulator-options) ${names[0]}.`;
  if (names.length < 10) return `It also accepts the [emulator options](#emulator-options) ${LIST.format(names)}.`;
  return names.includes('`--port`')
    ? 'It also accepts all [emulator options](#emulator-options).'
    : 'It also accepts all [emulator options](#emulator-options) except `--port`, `--host`, `--data-dir` and `--ephemeral`.';
}

const VARIABLES =
  'The environment variable of an option is `SVC_EMULATOR_` plus its name in capitals, such as `SVC_EMULATOR_DATA_DIR`. For `--no-warm`, set `SVC_EMULATOR_WARM=false`. In `exec` and `check`, `--settle-after` is `0` by default.';

function emulatorOptions({ OPTIONS, flagOf }) {
  const rows = Object.entries(OPTIONS).map(([name, { argument, fallback, repeatable, help }]) => {
    const flag = argument ? `${flagOf(name)} <${argument}>` : flagOf(name);
    const usual = argument && fallback ? ` Default: \`${fallback}\`.` : '';
    return `| \`${flag}\` | ${cell(sentence(help + (repeatable ? ' (repeatable)' : '')))}${usual} |`;
  });
  return ['## Emulator options', '', VARIABLES, '', '| Option | Meaning |', '| --- | --- |', ...rows, ''].join('\n');
}

function meaningOf({ description, argChoices, defaultValue, envVar }) {
  const choices =
    argChoices && argChoices.length < 6 ? ` One of ${argChoices.map((each) => `\`${each}\``).join(', ')}.` : '';
  const usual = typeof defaultValue === 'string' ? ` Default: \`${defaultValue}\`.` : '';
  return `${sentence(description)}${choices}${usual}${envVar ? ` Variable: \`${envVar}\`.` : ''}`;
}

function nameOf(argument) {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

const CODE =
  /svc-emulator start --data-dir|(?<![`\w-])--[a-z][a-z-]*[a-z]|\$[A-Z_]+|[\w.-]*\.(?:json|html|md|xml)\b|127\.0\.0\.1|\/(?:v1|cdn)\b|npm ci/g;

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const sentence = (text) => `${capital(text)}.`;
/** A table cell, in which flags, files, paths and addresses are formatted as code. */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll(CODE, '`$&`');
