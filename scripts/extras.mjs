// Leaves one extra at a time out of the sources, compiles, and prints which files miss a module of it.
import path from 'node:path';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '..');
const src = path.join(root, 'src');

/** An extra, by its folders and files, with what belongs to it above it: that goes with it. */
const EXTRAS = [
  { name: 'control/lies', paths: ['control/lies/'], users: ['check/', 'cli/check/'] },
  // `check service` compares by recorded runs, and what ran a command keeps one.
  { name: 'control/trace', paths: ['control/trace/'], users: ['check/service/', 'cli/check/', 'cli/exec-trace.ts'] },
  {
    name: 'control/orders with control/search',
    paths: ['control/orders/', 'control/search/'],
    users: ['dashboard/', 'check/', 'cli/check/', 'control/trace/'],
  },
  { name: 'check', paths: ['check/', 'cli/check/'], users: [] },
  { name: 'dashboard', paths: ['dashboard/'], users: ['cli/check/'] },
  // A story is driven as a user drives it.
  { name: 'client', paths: ['client/'], users: ['check/'] },
];

/** Where extras are put together. */
const LISTS = ['compose.ts', 'index.ts', 'control/control-routes.ts', 'cli/program.ts'];

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root);
const compiled = { ...options, noEmit: true, incremental: false, tsBuildInfoFile: undefined, declaration: false };

function nameOf(file) {
  return path.relative(src, file).split(path.sep).join('/');
}

let parsed;

/** That a module is missing. What follows from it in other files goes once the file that imports it is mended. */
const MISSING = 2307;

/** The files of `src` that miss a module without some others. */
function brokenWithout(isGone) {
  const host = ts.createCompilerHost(compiled);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => !isGone(nameOf(file)) && fileExists(file);
  host.readFile = (file) => (isGone(nameOf(file)) ? undefined : readFile(file));
  const names = fileNames.filter((file) => !isGone(nameOf(file)));
  const program = ts.createProgram(names, compiled, host, parsed);
  parsed = program;
  const errors = names.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source ? program.getSemanticDiagnostics(source).filter(({ code }) => code === MISSING) : [];
  });
  return [...new Set(errors.map(({ file }) => nameOf(file.fileName)))].toSorted();
}

/** For each extra, the files beside the lists and its users that need it. */
export function extras() {
  return EXTRAS.map(({ name, paths, users }) => {
    const broken = brokenWithout((file) => paths.some((each) => file.startsWith(each)));
    const isUser = (file) => users.some((each) => file.startsWith(each));
    return {
      name,
      lists: broken.filter((file) => LISTS.includes(file)),
      users: broken.filter((file) => !LISTS.includes(file) && isUser(file)),
      others: broken.filter((file) => !LISTS.includes(file) && !isUser(file)),
    };
  });
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, lists, users, others } of extras()) {
    console.log(`\nwithout ${name}: ${lists.length + users.length + others.length} files miss it`);
    console.log(`  lists: ${lists.join(', ') || 'none'}`);
    console.log(`  its users: ${users.join(', ') || 'none'}`);
    console.log(`  others: ${others.join(', ') || 'none'}`);
  }
}
