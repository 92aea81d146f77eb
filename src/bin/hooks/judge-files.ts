/** Decides whether a model may see the files that a tool is about to open. If this cannot be decided, it may not. */
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isKernelPlace } from '../../access/reach.ts';
import { repositoryOf } from '../../access/repositories.ts';
import { ContextdError } from '../../errors.ts';
import type { PathDecision } from '../../policy/policy-requests.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { Asker } from '../in-process/ask-engine.ts';
import { questions } from '../in-process/questions.ts';
import type { HookDisk } from './disk.ts';
import { hookTools } from './tools.ts';

/** `shown`: the path as the tool wrote it. */
export type NamedPath = Readonly<{ shown: string; path: string }>;

/** All files that a tool may mean by a path: some tools accept `~/` and file URLs, and some trim the path. */
export function placesOf(written: string, { cwd, home }: { cwd: string; home: string }): NamedPath[] {
  const meant = [written, written.trim()].flatMap((path) => [
    resolve(cwd, path),
    ...(path === '~' || path.startsWith('~/') ? [join(home, path.slice(1))] : []),
    ...(path.startsWith('file:') ? [pathOfAddress(path)].filter((each) => each !== undefined) : []),
  ]);
  return [...new Set(meant)].map((path) => ({ shown: written, path }));
}

function pathOfAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}

/** A folder to be searched, and a file in it: a pattern such as `folder/*` matches the files but not the folder. */
export async function searchedPlacesOf(written: string, from: { cwd: string; disk: HookDisk }): Promise<NamedPath[]> {
  const found: NamedPath[] = [];
  for (const place of placesOf(written, { cwd: from.cwd, home: from.disk.home })) {
    found.push(place);
    if (await from.disk.isFolder(place.path)) found.push({ ...place, path: join(place.path, anyFile) });
  }
  return found;
}

/** The limit of the operating system. */
const longestPath = 4_096;
/** A name that is unlikely to be in a pattern. */
const anyFile = 'any file';
const outsideError = (): ContextdError =>
  new ContextdError('path_outside_roots', 'it lies or leads outside the directories that the daemon may read');

/** The repository around a directory, else the directory itself. Policies apply from there on. */
export async function projectOf(directory: string, { realPath }: HookDisk): Promise<string> {
  const holdsGit = async (each: string): Promise<boolean> => (await realPath(join(each, '.git'))) !== undefined;
  return (await repositoryOf(directory, holdsGit)) ?? directory;
}

type Asking = { project: string; disk: HookDisk; openAsker(mountedDirectory: string): Promise<Asker> };

/**
 * The reason of the first path that a model may not see, or `undefined` if it may see all. Throws if it cannot be
 * decided: `path_outside_roots` if the daemon may not read the path.
 */
export async function refusalOf(paths: readonly NamedPath[], asking: Asking): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const { project, disk } = asking;
  if (paths.some(({ path }) => path.length > longestPath || path.includes('\0')))
    throw new Error('it is not a path that can be opened');
  // Such paths mean something else for each process, such as the working directory of the tool.
  const reals = new Map<string, string | undefined>();
  for (const { path } of paths) reals.set(path, await realPathOf(path, disk));
  const ofKernel = paths.find(({ path }) => isKernelPlace(path, []) || isKernelPlace(reals.get(path) ?? path, []));
  if (ofKernel) return `contextd: ${visibleText(ofKernel.shown)} is a place of the kernel, which models are kept from.`;
  const decisions = await decide(project, paths, asking);
  for (const [at, { shown, path }] of paths.entries()) {
    const decision = decisions[at];
    if (decision?.allowed === true) continue;
    const isOutside = decision?.reason.code === 'outside_roots';
    if (isOutside && disk.isConfined) throw outsideError();
    const isNothing = decision?.reason.code === 'not_found' && (await disk.realPath(path)) === undefined;
    if (!isNothing && !isOutside) return wordsOf(shown, decision);
  }
  // Tools follow links, and open files outside of the project.
  const realProject = await disk.realPath(project);
  for (const [at, { shown, path }] of paths.entries()) {
    const real = reals.get(path);
    // It does not exist.
    if (real === undefined || (real === path && decisions[at]?.allowed === true)) continue;
    const directory = dirname(real);
    const isAtHome = realProject !== undefined && real.startsWith(`${realProject}/`);
    const mountedDirectory = isAtHome ? realProject : await projectOf(directory, disk);
    const [decision] = await decide(mountedDirectory, [{ shown, path: real }], asking);
    if (decision?.allowed !== true) return wordsOf(shown, decision);
  }
  return undefined;
}

/** Why a tool may not change a file that it may read: only people may change what protects files. */
export async function refusalOfChange(paths: readonly NamedPath[], disk: HookDisk): Promise<string | undefined> {
  for (const { shown, path } of paths)
    for (const name of [path, (await realPathOf(path, disk)) ?? path]) {
      if (isSettingsOfHooks(name))
        return `contextd: ${visibleText(shown)} says when contextd is asked, so only its user changes it.`;
      if (await isBeginOfRepository(name, disk))
        return `contextd: ${visibleText(shown)} says where a repository begins, so only its user changes it.`;
      // Ignore files have hidden names, or are configurations, which `refusalOf` refuses.
      if (!basename(name).startsWith('.')) continue;
      const { directoryOfIgnoreFile } = await import('../../ignore/ignore-kinds.ts');
      if (directoryOfIgnoreFile(name) === undefined) continue;
      return `contextd: ${visibleText(shown)} says what is kept from models, so only its user changes it.`;
    }
  return undefined;
}

/** A new `.git` in a folder would turn off the ignore files above it for tools that are started in that folder. */
async function isBeginOfRepository(path: string, { realPath }: HookDisk): Promise<boolean> {
  for (let at = path; at !== '/'; at = dirname(at))
    if (basename(at).toLowerCase() === '.git') return at === path || (await realPath(at)) === undefined;
  return false;
}

/** In any directory, because tools have settings per project and per user. Some file systems ignore letter case. */
function isSettingsOfHooks(path: string): boolean {
  const folded = path.toLowerCase();
  return hookTools.some(({ settings }) => folded.endsWith(`/${settings.path}`));
}

async function decide(mountedDirectory: string, paths: readonly NamedPath[], { openAsker }: Asking) {
  const question = questions.checkPolicy({ mountedDirectory, paths: paths.map(({ path }) => path) });
  const asker = await openAsker(mountedDirectory);
  return (await asker.ask(question)).result.decisions;
}

/**
 * The path with all links resolved. The file need not exist yet; `undefined` if its directory does not exist. Throws
 * for a dangling link: writing to it would create a file in another place.
 */
async function realPathOf(path: string, disk: HookDisk): Promise<string | undefined> {
  const real = await disk.realPath(path);
  if (real !== undefined) return real;
  if (await disk.isLink(path)) throw disk.isConfined ? outsideError() : new Error('it is a link that leads nowhere');
  const directory = await disk.realPath(dirname(path));
  return directory === undefined ? undefined : join(directory, basename(path));
}

function wordsOf(shown: string, decision: PathDecision | undefined): string {
  const { code, detail } = decision?.reason ?? { code: 'undecided' };
  const why = [code.replaceAll('_', ' '), ...(detail === undefined ? [] : [detail])].join(': ');
  return `contextd: ${visibleText(shown)} is kept from models: ${visibleText(why)}. Do not read it another way.`;
}
