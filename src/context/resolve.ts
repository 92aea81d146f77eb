/** From what was seen on disk to the answer: states, order, budget, digest (spec 1; CC-14 … CC-35). */
import { createHash } from 'node:crypto';
import type { FileSnapshot } from '../gate.ts';
import { isInside, relativePath } from '../paths.ts';
import type { Reason, Warning } from '../warnings.ts';
import { chooseOmitted } from './budget.ts';
import type { Candidate } from './candidate.ts';
import type { ContextFile } from './context-file.ts';
import type { Gathered } from './gather.ts';
import { showClientContext, showMcpServers } from './merge.ts';
import { typeFromFolder } from './names.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import type { ParsedFile, ParsedFiles } from './parsed-file.ts';
import type { ConfigSource, ExcludedFile, ResolveResult } from './resolve-result.ts';
import { decideTrigger, type TriggerDecision } from './triggers.ts';

/** A file with content, as one AI working directory sees it. */
type Readable = { candidate: Candidate; snapshot: FileSnapshot; parsed: ParsedFile; name: string };

type Place = { mountedDirectory: string; homeDirectory: string };

export async function assembleResult(
  gathered: Gathered,
  request: NormalizedRequest,
  context: { homeDirectory: string; parsedFiles: ParsedFiles },
): Promise<ResolveResult> {
  const { parsedFiles } = context;
  const place: Place = { mountedDirectory: request.mountedDirectory, homeDirectory: context.homeDirectory };
  const warnings: Warning[] = [...gathered.warnings];
  const excluded = new Map<string, Reason>();
  const readable = collectReadable(gathered, parsedFiles, excluded);
  const ordered = [...readable.values()].sort((a, b) => compareFiles(a, b));
  giveNames(ordered, place, warnings);
  for (const { parsed } of ordered) warnings.push(...parsed.warnings);

  const mentions = new Set(request.mentions);
  const decided = new Map<string, TriggerDecision>();
  for (const chain of gathered.chains) {
    for (const { path } of chain.candidates) {
      const file = readable.get(path);
      if (file === undefined || chain.ruledOut.has(path) || decided.get(path)?.state === 'active') continue;
      const { trigger, globs } = file.parsed.source;
      const decision = decideTrigger(
        { trigger, globs, owner: file.candidate.directory.owner },
        {
          mountedDirectory: request.mountedDirectory,
          filesInPlay: chain.filesInPlay,
          isMentioned: mentionsOf(file, place).some((mention) => mentions.has(mention)),
          hasQuery: request.query !== undefined,
        },
      );
      if (decision.state === 'active' || !decided.has(path)) decided.set(path, decision);
    }
  }
  warnings.push(...unmatchedMentions(request.mentions, ordered, place));

  const { counts, estimated } = await parsedFiles.countTokens(
    ordered.map(({ snapshot }) => snapshot),
    request.encoding,
  );
  if (estimated)
    warnings.push({
      code: 'tokens_estimated',
      message: 'Tokens could not be counted; four bytes were taken for one token.',
    });
  const shown = ordered.map((file, index) => ({
    file: showFile(file, decided.get(file.candidate.path) as TriggerDecision, { place, tokens: counts[index] ?? 0 }),
    depth: file.candidate.directory.depth,
  }));
  const omitted = chooseOmitted(shown, request.maxTokens).map((file) => {
    const reason = { code: 'over_budget', detail: `the budget is ${request.maxTokens} tokens` };
    file.state = 'available';
    file.reason = reason;
    return { path: file.path, tokens: file.tokens, reason };
  });
  const files = shown.map(({ file }) => file);
  const active = files.filter((file) => file.state === 'active');
  const bodies = new Map(ordered.map(({ candidate, parsed }) => [candidate.path, parsed.source.body]));
  if (request.content) for (const file of active) file.content = bodies.get(file.path) ?? '';
  const merged = gathered.chains.map((chain) => chain.merged);
  return Object.freeze({
    mountedDirectory: request.mountedDirectory,
    workingDirectories: gathered.chains.map((chain) => chain.workingDirectory),
    files,
    excluded: showExcluded(excluded),
    config: { clientContext: showClientContext(merged), mcpServers: showMcpServers(merged) },
    configSources: showConfigSources(gathered),
    warnings: uniqueWarnings(warnings),
    usage: {
      files: active.length,
      bytes: active.reduce((sum, file) => sum + Buffer.byteLength(bodies.get(file.path) ?? ''), 0),
      tokens: active.reduce((sum, file) => sum + file.tokens, 0),
      omitted,
    },
    ...(request.query === undefined ? {} : { semantic: noSemanticSearch }),
    digest: digestOf(files),
  });
}

const noSemanticSearch = {
  status: 'unavailable',
  engine: 'none',
  detail: 'Search by relevance is not available; `agent` files become active by mention only.',
} as const;

/** Files with content by path; reasons of the others go into `excluded`, unless another working directory can see them. */
function collectReadable(
  gathered: Gathered,
  parsedFiles: ParsedFiles,
  excluded: Map<string, Reason>,
): Map<string, Readable> {
  const readable = new Map<string, Readable>();
  for (const { candidates, ruledOut } of gathered.chains) {
    for (const candidate of candidates) {
      const { path } = candidate;
      const known = readable.get(path);
      const reason = ruledOut.get(path) ?? contentReason(gathered.contents.get(path), parsedFiles);
      if (reason) {
        if (!known) excluded.set(path, excluded.get(path) ?? reason);
        continue;
      }
      excluded.delete(path);
      if (known && !isBetterPlace(candidate, known.candidate)) continue;
      const snapshot = gathered.contents.get(path) as FileSnapshot;
      readable.set(path, { candidate, snapshot, parsed: parsedFiles.parse(snapshot), name: candidate.name });
    }
  }
  return readable;
}

function contentReason(content: FileSnapshot | Reason | undefined, parsedFiles: ParsedFiles): Reason | undefined {
  if (content === undefined) return { code: 'unreadable' };
  if (!('sha256' in content)) return content;
  if (content.problem) return { code: content.problem };
  return parsedFiles.parse(content).source.disabled
    ? { code: 'disabled', detail: '`disabled: true` in its front matter' }
    : undefined;
}

function isBetterPlace(candidate: Candidate, known: Candidate): boolean {
  if (candidate.source !== known.source) return candidate.source === 'context-directory';
  return candidate.directory.depth > known.directory.depth;
}

/** CC-34: global, mounted, ancestors, working directory; own files before included ones; by priority, then by path. */
function compareFiles(a: Readable, b: Readable): number {
  const { directory: directoryA, source: sourceA, path: pathA } = a.candidate;
  const { directory: directoryB, source: sourceB, path: pathB } = b.candidate;
  return (
    directoryA.depth - directoryB.depth ||
    compareText(directoryA.owner, directoryB.owner) ||
    compareText(sourceA, sourceB) ||
    a.parsed.source.priority - b.parsed.source.priority ||
    compareText(pathA, pathB)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Front-matter names win over names from paths; a name that is taken already is not given twice (AG-03). */
function giveNames(ordered: readonly Readable[], place: Place, warnings: Warning[]): void {
  const taken = new Set<string>();
  for (const file of ordered) {
    const { path } = file.candidate;
    const wanted = file.parsed.source.name;
    if (wanted !== undefined && taken.has(wanted)) {
      const message = `The name "${wanted}" is taken by a file before this one; its path is its name instead.`;
      warnings.push({ code: 'duplicate_name', message, path });
    }
    const choices = [wanted, file.candidate.name, shownRelativePath(file.candidate, place), path];
    file.name = choices.find((name) => name !== undefined && !taken.has(name)) ?? path;
    taken.add(file.name);
  }
}

/** Every way in which a user can mention a file: name, relative path, absolute path. */
function mentionsOf(file: Readable, place: Place): string[] {
  return [file.name, shownRelativePath(file.candidate, place), file.candidate.path];
}

function unmatchedMentions(mentions: readonly string[], ordered: readonly Readable[], place: Place): Warning[] {
  const known = new Set(ordered.flatMap((file) => mentionsOf(file, place)));
  return mentions.flatMap((mention, index) =>
    known.has(mention)
      ? []
      : [
          {
            code: 'mention_not_found',
            message: `No context file is called "${mention}".`,
            pointer: `/mentions/${index}`,
          },
        ],
  );
}

function shownRelativePath(candidate: Candidate, place: Place): string {
  if (candidate.directory.scope !== 'global' || isInside(place.mountedDirectory, candidate.path))
    return relativePath(place.mountedDirectory, candidate.path);
  if (!isInside(place.homeDirectory, candidate.path)) return candidate.path;
  return `~/${relativePath(place.homeDirectory, candidate.path)}`;
}

function showFile(file: Readable, decision: TriggerDecision, shown: { place: Place; tokens: number }): ContextFile {
  const { candidate, snapshot, parsed, name } = file;
  const { source } = parsed;
  return {
    name,
    type: source.type ?? typeFromFolder(candidate.path, candidate.directory.path),
    path: candidate.path,
    relativePath: shownRelativePath(candidate, shown.place),
    scope: candidate.directory.scope,
    source: candidate.source,
    owner: candidate.directory.owner,
    trigger: source.trigger,
    description: source.description,
    ...(source.instructions === undefined ? {} : { instructions: source.instructions }),
    globs: source.globs,
    priority: source.priority,
    properties: source.properties,
    state: decision.state,
    reason: decision.reason,
    bytes: snapshot.bytes,
    tokens: shown.tokens,
    truncated: snapshot.truncated,
    sha256: snapshot.sha256,
  };
}

function showExcluded(excluded: ReadonlyMap<string, Reason>): ExcludedFile[] {
  return [...excluded].sort(([a], [b]) => compareText(a, b)).map(([path, reason]) => ({ path, reason }));
}

function showConfigSources(gathered: Gathered): ConfigSource[] {
  const sources = new Map<string, ConfigSource>();
  for (const { configs } of gathered.chains)
    for (const { path, scope } of configs) if (!sources.has(path)) sources.set(path, { path, scope });
  return [...sources.values()];
}

function uniqueWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** What a model would see: the active files, and how `agent` files that it could ask for present themselves. */
function digestOf(files: readonly ContextFile[]): string {
  const seen = files
    .filter((file) => file.state === 'active' || file.trigger === 'agent')
    .map((file) => [
      file.state,
      file.type,
      file.name,
      file.description,
      file.instructions ?? '',
      file.sha256,
      file.truncated,
    ]);
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex');
}
