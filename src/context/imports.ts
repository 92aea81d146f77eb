/**
 * Files that rule files import become part of the context, in rounds: a file that is read in one round may import
 * others in the next (FM-07).
 */

import type { FileSnapshot } from '../access/gate.ts';
import { isInside } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { createPause, type Pause } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import type { WarningCode } from '../warning-codes.ts';
import { limitWarnings, type Reason, type Warning } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import type { Chain } from './chains.ts';
import type { Importer } from './context-file.ts';
import { referenceWhole } from './formats/format.ts';
import { type ImportSyntax, type WrittenImport, withoutClosing } from './formats/imports.ts';
import { splitFrontMatter } from './front-matter.ts';
import { createImportTargets, type ImportTargets, type Target } from './import-targets.ts';
import { nameIncludedFile, nameRuleFile } from './names.ts';
import { createOwnRepository, type OwnRepository } from './own-repository.ts';
import { decideByPaths, type Sensitivity } from './path-rules.ts';
import type { ContentReader } from './read-contents.ts';

/** A line that imports a file. `isForeign`: the file is outside the repository, so the line may not make it active. */
export type Import = Importer & Readonly<{ isForeign: boolean }>;

/** The lines that import each file, first line first, even if the file is context for another reason too. */
export type Imports = ReadonlyMap<string, readonly Import[]>;

type Followed = {
  chains: readonly Chain[];
  imports: Imports;
  warnings: Warning[];
  evidence: readonly unknown[];
};

const limits = fixedLimits.imports;

/** A file that was read and may import others. `root`: the rule file at the start of this chain of imports. */
type Node = { path: string; syntax: ImportSyntax; root: Candidate };

/** One AI working directory. `found`: the candidates of the current round. */
type Way = {
  chain: Chain;
  known: Map<string, Candidate>;
  found: Candidate[];
  ruledOut: Map<string, Reason>;
  front: Node[];
  met: Map<ImportSyntax, Set<string>>;
  looked: Set<string>;
};

type Following = {
  world: World;
  reader: ContentReader;
  sensitivity: Sensitivity;
  targets: ImportTargets;
  own: OwnRepository;
  pause: Pause;
  imports: Map<string, Map<string, Import>>;
  warnings: Map<string, Warning>;
  edges: number;
  leftOut: Set<string>;
};

/** Reads the imports of the files of these working directories. Does nothing if there are none. */
export async function followImports(
  chains: readonly Chain[],
  run: { world: World; reader: ContentReader; sensitivity: Sensitivity },
): Promise<Followed> {
  const importing = chains.map(({ candidates }) => candidates.filter(({ imports }) => imports !== undefined));
  if (importing.every((each) => each.length === 0)) return { chains, imports: new Map(), warnings: [], evidence: [] };
  const { world, reader } = run;
  const following: Following = {
    ...run,
    targets: createImportTargets(world),
    own: createOwnRepository(world, world.mountedDirectory),
    pause: createPause(),
    imports: new Map(),
    warnings: new Map(),
    edges: 0,
    leftOut: new Set(),
  };
  const ways = chains.map((chain, index): Way => {
    const front = (importing[index] as Candidate[]).map((root): Node => {
      return { path: root.path, syntax: root.imports as ImportSyntax, root };
    });
    const known = new Map(chain.candidates.map((candidate) => [candidate.path, candidate]));
    return { chain, known, found: [], ruledOut: new Map(chain.ruledOut), front, met: new Map(), looked: new Set() };
  });
  for (let depth = 0; depth < limits.depth && ways.some(({ front }) => front.length > 0); depth += 1) {
    for (const way of ways) await goOn(way, following);
    await reader.read(ways.map(({ found, ruledOut }) => ({ candidates: found, ruledOut })));
  }
  for (const way of ways)
    for (const node of way.front) if (importsMore(node, way, following)) following.leftOut.add(node.path);
  const { targets, own, imports, warnings, leftOut } = following;
  const message = `Imports are followed ${limits.depth} files deep, ${limits.ofOneFile} of one file in its first ${limits.characters} characters, and ${limits.ofRequest} per request; ${leftOut.size} ${leftOut.size === 1 ? 'file may import' : 'files may import'} more.`;
  return {
    chains: ways.map((way) => chainWith(way, targets)),
    imports: new Map([...imports].map(([path, lines]) => [path, [...lines.values()]])),
    warnings: [...warnings.values(), ...limitWarnings([{ code: 'limit_imports', leftOut: leftOut.size, message }])],
    evidence: [...targets.evidence(), ...own.evidence()],
  };
}

/** Whether one of the last files certainly imports a file that is not present yet. */
function importsMore(node: Node, { known }: Way, following: Following): boolean {
  const at = { path: node.path, from: node.syntax.from };
  return importsOf(node, following).some(
    ({ path, isCertain }) => isCertain && !known.has(following.targets.pathOf(path, at)),
  );
}

function chainWith({ chain, known, ruledOut, looked }: Way, targets: ImportTargets): Chain {
  if (looked.size === 0) return chain;
  const candidates = [...known.values()];
  return { ...chain, candidates, ruledOut, searched: [...chain.searched, ...targets.searchedFor(looked)] };
}

/** One round: the imports of the files that the last round found. */
async function goOn(way: Way, following: Following): Promise<void> {
  const { chain, ruledOut } = way;
  const { world, sensitivity, pause } = following;
  const { workingDirectory, merged } = chain;
  const next: Node[] = [];
  way.found = [];
  for (const node of way.front) {
    if (ruledOut.has(node.path)) continue;
    for (const written of importsOf(node, following)) {
      const path = await takeImport({ node, written }, way, following);
      if (path === undefined) continue;
      const met = way.met.get(node.syntax) ?? metAtFirst(way.front, node.syntax);
      way.met.set(node.syntax, met);
      if (met.size < met.add(path).size) next.push({ ...node, path });
    }
    const turn = pause();
    if (turn) await turn;
  }
  const left = await decideByPaths(way.found, merged, { workingDirectory, world, sensitivity, pause });
  for (const [path, reason] of left) ruledOut.set(path, reason);
  way.front = next;
}

/** Files at the start of the rounds are known already, to readers with the same import syntax. */
function metAtFirst(front: readonly Node[], syntax: ImportSyntax): Set<string> {
  return new Set(front.flatMap((node) => (node.syntax === syntax ? [node.path] : [])));
}

/** The path of a file that is, or becomes, a candidate. Undefined if nothing is imported. */
async function takeImport(
  { node, written: { path: written, line, isCertain } }: { node: Node; written: WrittenImport },
  way: Way,
  following: Following,
): Promise<string | undefined> {
  const { path: importer, syntax, root } = node;
  const { targets, own, warnings, world, leftOut } = following;
  const path = targets.pathOf(written, { path: importer, from: syntax.from });
  if (path === importer) return undefined;
  const isKnown = way.known.has(path);
  const target = isKnown ? 'file' : await targets.look(path);
  if (target === undefined) leftOut.add(importer);
  else if (!isKnown) way.looked.add(path);
  const warn = (code: WarningCode, message: string): void => {
    warnings.set(`${code} ${importer} ${path}`, { code, message, path: importer, line });
  };
  if (target === 'not_found' && isCertain) warn('import_not_found', wordsOfMissing(written));
  if (target === undefined || target === 'not_found' || (target === 'outside_roots' && !isCertain)) return undefined;
  const { owner, scope } = root.directory;
  const isForeign = target === 'file' && (await own.isForeign(path, [{ path: importer, owner, scope }]));
  if (!addLine(path, { path: importer, line, isForeign }, following)) return undefined;
  if (isKnown) return path;
  if (isForeign)
    warn(
      'outside_repository',
      `"${written}" lies outside the repository of this file, so it is active only if it is mentioned.`,
    );
  const candidate = toCandidate({ path, target, by: { path: importer, line } }, root, world);
  way.found.push(candidate);
  way.known.set(path, candidate);
  return path;
}

/** Reports an import whose file does not exist. */
export function wordsOfMissing(written: string): string {
  const bare = withoutClosing(written);
  const ending =
    bare === written ? '' : ` The text after "${bare}" is part of the path, as in the tool. Put a space between them.`;
  return `"${written}" is imported, but does not exist.${ending}`;
}

/** Whether the line counts. The number of lines is limited. */
function addLine(path: string, line: Import, following: Following): boolean {
  const lines = following.imports.get(path) ?? new Map<string, Import>();
  const known = lines.get(line.path);
  if (known === undefined) {
    if (following.edges >= limits.ofRequest) {
      following.leftOut.add(line.path);
      return false;
    }
    following.edges += 1;
  }
  const isForeign = line.isForeign && known?.isForeign !== false;
  following.imports.set(path, lines.set(line.path, { ...line, isForeign }));
  return true;
}

function toCandidate(
  { path, target, by }: { path: string; target: Exclude<Target, 'not_found'>; by: Importer },
  { directory, format }: Candidate,
  { mountedDirectory }: World,
): Candidate {
  const isInMounted = isInside(mountedDirectory, path);
  return {
    path,
    source: 'import',
    directory,
    read: referenceWhole,
    name: isInMounted ? nameIncludedFile(path, mountedDirectory) : nameRuleFile(path, directory, mountedDirectory),
    importedBy: by,
    format,
    refusal: target === 'file' ? undefined : target,
  };
}

/** Searches each content once for each syntax. */
const writtenIn = onceForEach(
  ({ text = '' }: FileSnapshot) => onceForEach((syntax: ImportSyntax) => findImports(text, syntax)),
  new WeakMap(),
);

/** What a file imports that was read. */
function importsOf({ path, syntax }: Node, { reader, leftOut }: Following): readonly WrittenImport[] {
  const content = reader.contents.get(path);
  if (content === undefined || !('sha256' in content) || content.text === undefined) return [];
  const written = writtenIn(content)(syntax);
  if (written.length > limits.ofOneFile || content.text.length > limits.characters) leftOut.add(path);
  return written.slice(0, limits.ofOneFile);
}

/** The imports in the beginning of a file, with their lines in the file. Front matter imports nothing. */
export function findImports(text: string, syntax: ImportSyntax): readonly WrittenImport[] {
  const searched = text.slice(0, limits.characters);
  const parts = splitFrontMatter(searched);
  if (parts === undefined) return syntax.find(searched);
  return syntax.find(parts.body).map((each) => ({ ...each, line: each.line + parts.bodyLine - 1 }));
}
