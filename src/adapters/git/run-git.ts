/**
 * Runs git once, with limits of time, memory and output and without the repository's configuration, so that nothing a
 * repository names is started.
 */
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTurns } from '../../pace/turns.ts';
import type { Repository } from './find-repository.ts';

const maxMs = 10_000;
const atOnce = 4;
/** A few megabytes of a repository can unpack to any size. Files that git only maps do not count. */
const maxMemoryKib = 1024 * 1024;
/** Runs git with this limit. */
const limited = ['-c', `ulimit -d ${maxMemoryKib}; exec git "$@"`, 'git'];
/** What a shell ends with if it does not find the program. */
const notFound = 127;

/** `output` is undefined if git failed, took too long, wrote too much or is not installed (`isMissing`). */
type Outcome = { output: Buffer | undefined; isMissing: boolean };
export type RunGit = (
  args: readonly string[],
  options: { input?: string; maxBytes: number; signal: AbortSignal | undefined },
) => Promise<Outcome>;

/**
 * git gets a directory of contextd instead of the repository's `.git`. So the repository's configuration, its hooks and
 * the attributes of this clone have no effect.
 */
export function createGit(environment: Readonly<Record<string, string | undefined>>) {
  const turns = createTurns(atOnce);
  const directories = new Map<number, string>();

  const directoryFor = ({ commit }: Repository): string => {
    const known = directories.get(commit.length);
    if (known !== undefined && isStillOurs(known)) return known;
    const directory = mkdtempSync(join(tmpdir(), 'contextd-git-'));
    mkdirSync(join(directory, 'refs'));
    writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
    const format = commit.length === 64 ? '1\n[extensions]\n\tobjectFormat = sha256\n' : '0\n';
    writeFileSync(join(directory, 'config'), `[core]\n\tbare = false\n\trepositoryFormatVersion = ${format}`);
    directories.set(commit.length, directory);
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  };

  return (repository: Repository): RunGit => {
    const env = {
      PATH: environment.PATH,
      HOME: environment.HOME,
      XDG_CONFIG_HOME: environment.XDG_CONFIG_HOME,
      LC_ALL: 'C',
      GIT_DIR: directoryFor(repository),
      GIT_WORK_TREE: repository.workingTree,
      GIT_INDEX_FILE: repository.index,
      GIT_OBJECT_DIRECTORY: repository.objects,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_TERMINAL_PROMPT: '0',
      GIT_LITERAL_PATHSPECS: '1',
    };
    return (args, options) => turns(() => run(['-C', repository.workingTree, ...args], { ...options, env }));
  };
}

/**
 * Whether a temporary directory is as it was made. Systems remove old temporary files, and then another user could
 * make a directory of this name: git would start the programs that its configuration names.
 */
function isStillOurs(directory: string): boolean {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  const isOurs = stat?.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  return isOurs === true && ['HEAD', 'config', 'refs'].every((name) => existsSync(join(directory, name)));
}

function run(
  args: readonly string[],
  { input = '', maxBytes, signal, ...options }: Parameters<RunGit>[1] & { env: Record<string, string | undefined> },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const limit = AbortSignal.timeout(maxMs);
    const child = spawn('/bin/sh', [...limited, ...args], {
      ...options,
      // Not in the repository: the search path may name a directory relative to this one.
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      killSignal: 'SIGKILL',
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    let isMissing = false;
    child.on('error', (error: NodeJS.ErrnoException) => {
      isMissing = error.code === 'ENOENT' && error.syscall?.startsWith('spawn') === true;
    });
    child.stdin.on('error', () => {});
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes > maxBytes) child.kill('SIGKILL');
    });
    child.on('close', (code) => {
      const output = code === 0 ? Buffer.concat(parts) : undefined;
      resolve({ output, isMissing: isMissing || code === notFound });
    });
    child.stdin.end(input);
  });
}
