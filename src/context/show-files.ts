/** Files, and what was left out, as answers show them. */
import { relativePath } from '../access/paths.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Reason } from '../warnings.ts';
import type { ContextFile } from './context-file.ts';
import { importersOf, type ShownTrigger, withImporter } from './import-states.ts';
import type { Imports } from './imports.ts';
import type { LoadedContext } from './load-context.ts';
import { typeFromFolder } from './names.ts';
import type { RequestPlace } from './normalize-request.ts';
import { patternBelow } from './patterns-below.ts';
import { type ReadableFile, shownRelativePath } from './readable.ts';
import type { ConfigSource, ExcludedFile } from './resolve-result.ts';
import type { TriggerDecision } from './triggers.ts';

export function showFile(
  file: ReadableFile,
  decision: TriggerDecision,
  shown: { place: RequestPlace; tokens: number; trigger: ShownTrigger; imports: Imports },
): ContextFile {
  const { candidate, snapshot, parsed, name } = file;
  const { source } = parsed;
  return {
    name,
    type: source.type ?? typeFromFolder(candidate.path, candidate.directory.path),
    path: candidate.path,
    relativePath: shownRelativePath(candidate, shown.place),
    scope: candidate.directory.scope,
    source: candidate.source,
    format: candidate.format,
    importedBy: importersOf(candidate.path, shown.imports),
    owner: candidate.directory.owner,
    ...shown.trigger,
    description: source.description,
    instructions: source.instructions,
    priority: source.priority,
    properties: source.properties,
    state: decision.state,
    reason: decision.reason,
    similarityScore: decision.similarityScore,
    bytes: snapshot.bytes,
    tokens: shown.tokens,
    supportingFiles: candidate.supportingFiles?.length ? [...candidate.supportingFiles] : undefined,
    truncated: snapshot.truncated,
    sha256: snapshot.sha256,
  };
}

/** FM-05: below the working directory, a file that always applies is only for the files beside it and below. */
export function shownTrigger({ candidate, parsed }: ReadableFile, { mountedDirectory }: RequestPlace): ShownTrigger {
  const { trigger, globs } = parsed.source;
  if (!candidate.isBelow || trigger !== 'always') return { trigger, globs };
  const directory = relativePath(mountedDirectory, candidate.directory.owner);
  return { trigger: 'auto', globs: [patternBelow(directory) ?? `${directory}/**`] };
}

export function showExcluded(
  excluded: ReadonlyMap<string, Reason>,
  { chains, imports }: LoadedContext,
  place: RequestPlace,
): ExcludedFile[] {
  const formats = new Map<string, string>();
  for (const { candidates } of chains)
    for (const { path, format } of candidates) if (format !== undefined) formats.set(path, format);
  return [...excluded]
    .sort(([a], [b]) => compareText(a, b))
    .map(([path, reason]) => ({
      path,
      format: formats.get(path),
      reason: withImporter(reason, imports.get(path), place),
      importedBy: importersOf(path, imports),
    }));
}

export function showConfigSources(loaded: LoadedContext): ConfigSource[] {
  const sources = new Map<string, ConfigSource>();
  for (const { configs } of loaded.chains)
    for (const { path, scope } of configs) if (!sources.has(path)) sources.set(path, { path, scope });
  return [...sources.values()];
}
