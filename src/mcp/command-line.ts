/**
 * Finds the files in granted roots that a command line runs (S-18). Few forms are understood, and for these the files
 * are exact: an interpreter with a script, `npx`, `uvx`, `docker run`, and a program outside the roots with plain
 * arguments. Modules that a script loads are not compared; its approval says so. For any other command line, the result
 * says why it cannot be followed. Nothing is run to find out.
 */

import { baseName, isInside, joinPath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { shorten } from '../texts/shorten.ts';
import { loadsCode } from './code-variables.ts';
import { readContainer } from './container.ts';
import { entryOf, isProgram } from './entry-files.ts';
import { isUnknown, namesIn } from './named-files.ts';
import { objectionToNpx } from './npx.ts';
import {
  type Interpreter,
  interpreterNamed,
  isDedicatedServer,
  kindOfFile,
  namesCommand,
  runsOthers,
  shells,
  withoutVersion,
} from './programs.ts';

/**
 * `places`: absolute paths of files whose content counts. Paths that do not exist, or are in no root, do not count.
 * Without `why`, nothing else that the command line names decides what runs.
 */
type Reading = Readonly<{ places: readonly string[]; why?: string }>;

export type CommandLine = Readonly<{
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** The path where the program was found. `real` is its real path. */
  executable: string | undefined;
  real: string | undefined;
}>;

/** System directories with programs of every kind, most of them made for other purposes. */
const systemDirectories = /^\/(?:usr\/)?s?bin\//u;

export async function readCommandLine(line: CommandLine, world: World): Promise<Reading> {
  const { command, env, cwd, executable, real } = line;
  const { roots } = world.reach;
  const isOurs = (path: string | undefined) => path !== undefined && isInRoots(path, roots);
  const places = [executable, real].filter((path) => path !== undefined && isOurs(path)) as string[];
  const variable = Object.entries(env).find(([name, value]) => loadsCode(name, value, roots))?.[0];
  if (variable !== undefined) return { places, why: `${shortName(variable)} changes what programs load or find` };
  const program = baseName(command);
  const reader = readerOf(program);
  if (places.length > 0) {
    const isNear = places.some((path) => isInside(cwd, path)) || command.includes('/');
    if (isNear || reader === undefined) return { places, why: 'the program itself is in a granted directory' };
  }
  const read = reader ?? readOther;
  const reading = await read({ ...line, program }, world);
  return { ...reading, places: [...places, ...reading.places] };
}

type Named = CommandLine & { program: string };
type Reader = (line: Named, world: World) => Promise<Reading>;

function readerOf(program: string): Reader | undefined {
  const interpreter = interpreterNamed(program);
  if (interpreter) return (line, world) => readScript(line, interpreter, world);
  if (program === 'npx') return readNpx;
  if (program === 'uvx') return readUvx;
  return program === 'docker' || program === 'podman' ? readDocker : undefined;
}

async function readScript(
  { program, args, cwd }: Named,
  { plain, endings, isolated }: Interpreter,
  world: World,
): Promise<Reading> {
  const at = args.findIndex((arg) => !plain.test(arg));
  const script = args[at];
  const rest = args.slice(at + 1);
  if (script === '-m' && isolated !== undefined && isModuleName(rest[0])) {
    const isAlone = args.slice(0, at).some((arg) => isolated.test(arg)) || !isInRoots(cwd, world.reach.roots);
    if (isAlone) return readArguments(rest.slice(1), { cwd, world });
    return { places: [], why: `${shortName(program)} -m looks for the module in the directory it works in` };
  }
  if (script === undefined || script.startsWith('-'))
    return { places: [], why: `it is not a script with plain options that ${shortName(program)} is given` };
  const entry = await entryOf(script, { cwd, endings, world });
  const given = await readArguments(rest, { cwd, world, compares: 'code' });
  return { ...given, places: [...entry, ...given.places] };
}

const packageName = /^(?:@[\w.-]{1,128}\/)?[\w-][\w.-]{0,128}(?:@[~^]?\w[\w.+-]{0,128})?$/u;

const readNpx: Reader = async ({ args, cwd }, world) => {
  const packages: string[] = [];
  let at = 0;
  for (; args[at]?.startsWith('-'); at += 1) {
    const arg = args[at] as string;
    if (/^(?:-y|--yes|-q|--quiet|--silent)$/u.test(arg)) continue;
    const option = /^(?:-p|--package)(?:=(?<named>.{1,300}))?$/su.exec(arg);
    if (option === null) return { places: [], why: 'not all options of npx are understood' };
    const named = option.groups?.named;
    if (named === undefined) at += 1;
    packages.push(named ?? args[at] ?? '');
  }
  const command = args[at];
  const names = [...packages, ...(command === undefined ? [] : [command])];
  if (command === undefined || !names.every((name) => packageName.test(name)))
    return { places: [], why: 'it is not a package of a registry that npx is given' };
  // `mcp` is the name of a server as an npm package. In Python it runs servers.
  if (names.map(withoutVersion).some((name) => name !== 'mcp' && runsOthers(name)))
    return { places: [], why: 'npx is given a program that runs others' };
  const why = await objectionToNpx(names, cwd, world);
  const given = await readArguments(args.slice(at + 1), { cwd, world });
  return why === undefined ? given : { ...given, why };
};

const pythonPackage = /^\w[\w.-]{0,128}(?:\[[\w,.-]{1,128}\])?(?:(?:@|[=~<>]=)\w[\w.*+-]{0,64})?$/u;

/** `uvx` takes no settings from a project, and does not search packages in its working directory. */
const readUvx: Reader = async ({ args, cwd }, world) => {
  let at = 0;
  const isPackage = (text = '') => pythonPackage.test(text) || /^git\+https:\/\/[^\s]{1,512}$/u.test(text);
  for (; args[at]?.startsWith('-'); at += 1) {
    const arg = args[at] as string;
    if (/^(?:-q|--quiet|--offline|--no-cache|--refresh|--isolated|--native-tls)$/u.test(arg)) continue;
    at += 1;
    const value = args[at];
    if (/^--(?:from|with)$/u.test(arg) && isPackage(value)) continue;
    if (/^(?:-p|--python)$/u.test(arg) && /^[\d.]{1,16}$/u.test(value ?? '')) continue;
    return { places: [], why: 'not all options of uvx are understood' };
  }
  if (!isPackage(args[at])) return { places: [], why: 'it is not a package of an index that uvx is given' };
  if (runsOthers(args[at] as string)) return { places: [], why: 'uvx is given a program that runs others' };
  return readArguments(args.slice(at + 1), { cwd, world });
};

const readDocker: Reader = async ({ args, cwd }, world) => {
  const container = readContainer(args, { cwd, roots: world.reach.roots });
  if ('why' in container) return { places: [], why: container.why };
  return readArguments(container.args, { cwd, world, mayBeElsewhere: container.mounts });
};

const readOther: Reader = async ({ program, command, args, cwd, executable }, world) => {
  const given = await readArguments(args, { cwd, world });
  if (shells.test(program)) return { ...given, why: 'it starts a shell' };
  if (runsOthers(program))
    return { ...given, why: `${shortName(program)} runs what its arguments or files of the project say` };
  const isKnown =
    isDedicatedServer(program) ||
    (command.startsWith('/') && executable !== undefined && !systemDirectories.test(command)) ||
    !isInRoots(cwd, world.reach.roots);
  if (isKnown || given.why !== undefined) return given;
  return { ...given, why: `it is not known what ${shortName(program)} reads in its directory` };
};

function isModuleName(text = ''): boolean {
  return text.length <= 256 && /^[A-Za-z_][\w.]*$/u.test(text);
}

type Arguments = {
  cwd: string;
  world: World;
  /** `code`: also compares code that arguments name, because the script that gets it is compared too. */
  compares?: 'code';
  /** Arguments may name files of the workspace by other paths. */
  mayBeElsewhere?: boolean;
};

/**
 * Reads the arguments of the program itself. The names of directories and data are enough; code and settings are
 * compared.
 */
async function readArguments(args: readonly string[], options: Arguments): Promise<Reading> {
  const { cwd, world, compares, mayBeElsewhere } = options;
  const places: string[] = [];
  let why: string | undefined;
  for (const arg of args) {
    if (arg.split(/\s+/u, 256).some((word) => namesCommand(baseName(word)))) why ??= 'an argument is a command';
    if (/\$[({A-Za-z_]|`/u.test(arg)) why ??= 'an argument has a variable';
    for (const name of namesIn(arg)) {
      const place = joinPath(cwd, name);
      const kind = kindOfFile(place);
      if (mayBeElsewhere === true && kind === 'code') why ??= 'an argument names code in the container';
      if (!isInRoots(place, world.reach.roots) || !(await isFile(place, world))) continue;
      if (kind === 'data' && !(await isProgram(place, world))) continue;
      places.push(place);
      if (kind !== 'settings' && compares === undefined) why ??= 'an argument names code of the workspace';
    }
  }
  return why === undefined ? { places } : { places, why };
}

async function isFile(place: string, { gate }: World): Promise<boolean> {
  const real = await gate.realPath(place);
  const stat = real.ok ? await gate.stat(real.realPath) : real;
  return stat.ok ? stat.kind === 'file' : isUnknown(stat.code);
}

/** A name, short enough for a sentence. */
function shortName(name: string): string {
  return shorten(name, 64);
}
