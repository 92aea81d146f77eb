import type { ContextFile } from '../../src/context/context-file.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { createEngine, type Engine, type EngineOptions } from '../../src/engine.ts';
import type { Logger, TokenCounter } from '../../src/ports/ports.ts';
import { defaultEngineSettings, type EngineSettings, type Limits } from '../../src/settings.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createMemoryFileWriter } from './memory-file-writer.ts';
import { createMemoryFiles, type MemoryFiles } from './memory-files.ts';
import { createMemoryStore } from './memory-store.ts';

/** Where test workspaces lie. */
export const home = '/home/ada';
export const project = '/home/ada/myproject';

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** One token for every four characters, at once. */
export const plainTokenCounter: TokenCounter = {
  count: async (texts) => texts.map((text) => Math.ceil(text.length / 4)),
  dispose() {},
};

export type TestWorkspace = {
  engine: Engine;
  files: MemoryFiles;
  clock: FakeClock;
  /** Resolves for `project` unless the request names another mounted directory. */
  resolve(request?: Partial<ResolveRequest>): Promise<ResolveResult>;
};

type TestOptions = {
  settings?: Partial<Omit<EngineSettings, 'limits'>>;
  limits?: Partial<Limits>;
  grantedRoots?: readonly string[];
  ports?: Partial<EngineOptions['ports']>;
  deniedDirectories?: readonly string[];
};

/** An engine over an in-memory file system; `tree` maps absolute paths, or paths relative to `project`, to contents. */
export async function createWorkspace(
  tree: Record<string, string | Uint8Array>,
  options: TestOptions = {},
): Promise<TestWorkspace> {
  const clock = createFakeClock();
  const absolute = Object.entries(tree).map(([path, content]) => [absolutePath(path), content]);
  const files = createMemoryFiles(Object.fromEntries(absolute), { homeDirectory: home, clock });
  files.makeDirectory(project);
  // What a test prepares lies in the past, as in life.
  clock.advance(60_000);
  const engine = await createEngine({
    ports: {
      files,
      fileWriter: createMemoryFileWriter(files),
      clock,
      store: options.ports?.store ?? createMemoryStore(),
      logger: silentLogger,
      tokenCounter: plainTokenCounter,
      ...options.ports,
    },
    settings: {
      ...defaultEngineSettings,
      ...options.settings,
      limits: { ...defaultEngineSettings.limits, ...options.limits },
    },
    grantedRoots: options.grantedRoots ?? [project],
    deniedDirectories: options.deniedDirectories ?? [],
  });
  return { engine, files, clock, resolve: (request) => engine.resolve({ mountedDirectory: project, ...request }) };
}

function absolutePath(path: string): string {
  if (path.startsWith('~/')) return `${home}${path.slice(1)}`;
  return path.startsWith('/') ? path : `${project}/${path}`;
}

/** Front matter and body of a context file. */
export function contextFile(properties: Record<string, unknown>, body = 'Body.'): string {
  const lines = Object.entries(properties).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

export function config(value: object): string {
  return JSON.stringify(value);
}

/** Names of the files in a state, in order. */
export function names(result: ResolveResult, state?: ContextFile['state']): string[] {
  return result.files.filter((file) => state === undefined || file.state === state).map((file) => file.name);
}

export function fileNamed(result: ResolveResult, name: string): ContextFile {
  const file = result.files.find((each) => each.name === name);
  if (file === undefined) throw new Error(`No file is called "${name}"; there are ${names(result).join(', ')}`);
  return file;
}

/** Reason codes of excluded files by path relative to the project. */
export function excludedCodes(result: ResolveResult): Record<string, string> {
  return Object.fromEntries(result.excluded.map(({ path, reason }) => [path.replace(`${project}/`, ''), reason.code]));
}

export function warningCodes(result: ResolveResult): string[] {
  return result.warnings.map(({ code }) => code);
}
