/** Collects what a place adds to a catalog: context files with their names, and tools of MCP servers. */
import type { Unsaved } from '../access/gate.ts';
import type { FormatChoice } from '../context/formats/choose-formats.ts';
import type { Composition } from '../context/resolve.ts';
import type { ResolveResult } from '../context/resolve-result.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { noTools, type ToolSource } from '../ports/ports.ts';
import type { Warning } from '../warnings.ts';
import type { Agent } from './agent.ts';
import type { CatalogItem } from './catalog-item.ts';
import type { NamedFile } from './file-items.ts';
import { keyOfItem } from './item.ts';

/** Where items come from. Without an agent there are no inline items, and each tool has the include mode `always`. */
export type ItemPlace = { agent: Agent } | { mountedDirectory: string; workingDirectory?: string | undefined };

/**
 * The context files of a place. `base`: without files in play. `here`: for the files in play. Both are absent if there
 * is no usable mounted directory.
 */
export type ComposedPlace = { base?: Composition; here?: Composition; warnings: Warning[] };

/** `formats` and `unsaved` are those of a request to compose. */
export type PlaceOptions = {
  files?: readonly string[];
  mentions?: readonly string[];
  formats?: FormatChoice | undefined;
  unsaved?: Unsaved | undefined;
};

/**
 * Composes the context files of a place, without and with the files in play. Some context files are there only if
 * `mentions` name them. If the directories of an agent cannot be used, returns a warning. Otherwise throws like
 * `resolve`.
 */
export async function composePlace(
  core: EngineCore,
  place: ItemPlace,
  { files = [], mentions = [], formats, unsaved }: PlaceOptions,
): Promise<ComposedPlace> {
  const { mountedDirectory, workingDirectory } = 'agent' in place ? place.agent : place;
  if (mountedDirectory === undefined) {
    const message = 'Files in play have no effect, because the agent has no mounted directory.';
    return { warnings: files.length === 0 ? [] : [{ code: 'no_mounted_directory', message, pointer: '/files' }] };
  }
  const view = { countsActiveOnly: true as const, unsaved };
  const request = { mountedDirectory, workingDirectory, mentions: [...mentions], formats };
  try {
    if (files.length === 0) {
      const base = await core.compose(request, view);
      return { base, here: base, warnings: [] };
    }
    const here = await core.compose({ ...request, files: [...files] }, view);
    // If a working directory is given, the files in play do not change which directories are read.
    const isWhole = workingDirectory !== undefined || holdsAll(here.result);
    return { base: isWhole ? here : await core.compose(request, view), here, warnings: [] };
  } catch (error) {
    if (!(error instanceof ContextdError) || !('agent' in place)) throw error;
    if (error.errors.some(({ pointer }) => pointer.startsWith('/files'))) throw error;
    const message = `The context files of the agent cannot be used: ${error.message}`;
    return { warnings: [{ code: error.code, message, path: mountedDirectory }] };
  }
}

/**
 * Whether a composition for files in play surely has every file of the composition without them. It has if no
 * configuration includes, excludes or ignores files, and no limit was reached.
 */
function holdsAll({ configSources, warnings }: ResolveResult): boolean {
  return configSources.length === 0 && !warnings.some(({ code }) => code.startsWith('limit_'));
}

export async function listTools(place: ItemPlace, toolSource: ToolSource | undefined) {
  if (toolSource === undefined) return { listing: noTools, warnings: [] };
  const { id, mountedDirectory, workingDirectory } = 'agent' in place ? place.agent : { ...place, id: undefined };
  try {
    const listing = await toolSource.listTools({ agentId: id, mountedDirectory, workingDirectory });
    return { listing, warnings: [] };
  } catch {
    const warning: Warning = { code: 'tools_unavailable', message: 'The tools of MCP servers could not be listed.' };
    return { listing: noTools, warnings: [warning] };
  }
}

/**
 * Names the files. An inline item keeps its name, so that no repository can put a file in its place. A file whose name
 * is taken is named by its path.
 */
export function nameFiles({ base, here }: Omit<ComposedPlace, 'warnings'>, inline: readonly CatalogItem[]) {
  const inlineKeys = new Set(inline.map(keyOfItem));
  const taken = new Set(inlineKeys);
  const warnings: Warning[] = [];
  const known = new Set(base?.result.files.map(({ path }) => path));
  const others = here === base ? [] : (here?.result.files.filter(({ path }) => !known.has(path)) ?? []);
  const textOf = (path: string): string => (base?.bodies.get(path) ?? here?.bodies.get(path)) as string;
  const named = [...(base?.result.files ?? []), ...others].map((file): NamedFile => {
    const { type, path } = file;
    const choices = [file.name, file.relativePath, path];
    const name = choices.find((choice) => !taken.has(keyOfItem({ type, name: choice }))) ?? path;
    taken.add(keyOfItem({ type, name }));
    if (inlineKeys.has(keyOfItem({ type, name: file.name }))) {
      const message = `The agent has a ${type} "${file.name}" of its own, so this file gets the name "${name}".`;
      warnings.push({ code: 'duplicate_name', message, path });
    }
    return { file, name, text: textOf(path) };
  });
  return { named, warnings };
}
