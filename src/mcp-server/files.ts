/**
 * Context files as MCP resources and prompts (MC-05). Everything is read by `resolve`, so that policies, exclusions and
 * sensitive names hold here as everywhere. A resource is named by the `file:` URL of its file.
 */
import { basename, extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isInside } from '../access/paths.ts';
import type { ContextFile } from '../context/context-file.ts';
import { priorityRange } from '../context/item-values.ts';
import { ContextdError } from '../errors.ts';
import type { Warning } from '../warnings.ts';
import type { ContextVerbs } from './verbs.ts';
import { type Workplace, workingIn } from './workplace.ts';

/** A file as a resource. `priority`: from 0 to 1, where 1 is the most important. */
type FileResource = {
  uri: string;
  name: string;
  title: string;
  description?: string;
  mimeType: string;
  size: number;
  annotations: { audience: ['assistant']; priority: number };
};
/** A `manual` file as a prompt; `path` and `workplace` say which file it is. */
type FilePrompt = { name: string; title: string; description?: string; path: string; workplace: Workplace };
export type MountedFiles = { mountedDirectory: string; workplace: Workplace; files: readonly ContextFile[] };

/** The context files of each place, active and available. A directory that may not be read has none. */
export async function listFiles(verbs: ContextVerbs, workplaces: readonly Workplace[]): Promise<MountedFiles[]> {
  const listed: MountedFiles[] = [];
  for (const workplace of workplaces) {
    try {
      const { mountedDirectory } = workplace;
      const request = { mountedDirectory, ...workingIn(workplace), content: false };
      const { files, mountedDirectory: place } = await verbs.resolve(request);
      listed.push({ mountedDirectory: place, workplace, files });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return listed;
}

export function resourcesOf(mounted: readonly MountedFiles[]): FileResource[] {
  const byUri = new Map<string, FileResource>();
  for (const { files } of mounted)
    for (const file of files) {
      const uri = uriOfPath(file.path);
      byUri.set(uri, {
        uri,
        name: file.name,
        title: file.relativePath,
        description: file.description || undefined,
        mimeType: mimeTypeOf(file.path),
        size: file.bytes,
        annotations: {
          audience: ['assistant'],
          priority: Math.round(100 - (100 * file.priority) / priorityRange.highest) / 100,
        },
      });
    }
  return [...byUri.values()];
}

/** The `manual` files as prompts. If a name is taken, it is prefixed by the name of the mounted directory. */
export function promptsOf(mounted: readonly MountedFiles[]): FilePrompt[] {
  const byName = new Map<string, FilePrompt>();
  const paths = new Set<string>();
  for (const { mountedDirectory, workplace, files } of mounted)
    for (const { name, path, description, trigger, relativePath } of files) {
      if (trigger !== 'manual' || paths.has(path)) continue;
      paths.add(path);
      const free = [name, `${basename(mountedDirectory)}/${name}`, path].find((each) => !byName.has(each)) ?? path;
      byName.set(free, { name: free, title: relativePath, path, workplace, description: description || undefined });
    }
  return [...byName.values()];
}

/** A context file with its content. `_meta` has its warnings, for programs that show them. */
type ReadFile = { file: ContextFile; _meta?: { 'contextd/warnings': Warning[] } };

/** Reads a context file below one of the places, or a global one. Undefined if `resolve` does not return it. */
export async function readFile(
  verbs: ContextVerbs,
  workplaces: readonly Workplace[],
  path: string,
): Promise<ReadFile | undefined> {
  const asked = workplaces.flatMap((workplace) => {
    const { mountedDirectory } = workplace;
    // The file is in play, so that context directories on the way to it are read too.
    const own = isInside(mountedDirectory, path) ? [{ mountedDirectory, files: [path] }] : [];
    return [...own, { mountedDirectory, ...workingIn(workplace) }];
  });
  for (const place of asked) {
    try {
      const result = await verbs.resolve({ ...place, mentions: [path] });
      const file = result.files.find((each) => each.path === path);
      const warnings = result.warnings.filter((each) => each.path === path);
      if (file?.content !== undefined)
        return { file, _meta: warnings.length === 0 ? undefined : { 'contextd/warnings': warnings } };
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return undefined;
}

export function uriOfPath(path: string): string {
  return pathToFileURL(path).href;
}

/** `undefined` if it is not a `file:` URL of this machine. */
export function pathOfUri(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

export function mimeTypeOf(path: string): string {
  return ['.md', '.mdc', '.markdown'].includes(extname(path).toLowerCase()) ? 'text/markdown' : 'text/plain';
}

/** True if the caller may not see the file. Other errors are real failures. */
function isRefusal(error: unknown): boolean {
  return error instanceof ContextdError && ['path_outside_roots', 'not_found', 'invalid_request'].includes(error.code);
}
