/** Checks the imports of files of other tools, and finds circles of imports (FM-07; AP-08). */
import { relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import type { ImportSyntax, WrittenImport } from '../context/formats/imports.ts';
import { createImportTargets } from '../context/import-targets.ts';
import { findImports, wordsOfMissing } from '../context/imports.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { CheckedRuleFile } from './rule-files.ts';

const limits = fixedLimits.imports;
/** More than for a request, because a check sees the whole tree. */
const maxEdges = 5 * limits.ofRequest;

type Edge = { to: string; line: number };
/** The imports of each file, for one import syntax. */
type Edges = Map<string, Edge[]>;
type Node = { path: string; imports: readonly WrittenImport[]; depth: number };

export async function checkRuleImports(files: readonly CheckedRuleFile[], world: World): Promise<Warning[]> {
  const bySyntax = Map.groupBy(files, ({ place }) => place.imports);
  const found: Warning[] = [];
  for (const [syntax, importing] of bySyntax) {
    if (syntax === undefined) continue;
    const { edges, warnings } = await followAll(importing, syntax, world);
    found.push(...warnings, ...circles(edges, world.mountedDirectory));
  }
  return found;
}

async function followAll(
  files: readonly CheckedRuleFile[],
  syntax: ImportSyntax,
  world: World,
): Promise<{ edges: Edges; warnings: Warning[] }> {
  const { gate, reach, limits: sizes } = world;
  const targets = createImportTargets(world);
  const edges: Edges = new Map();
  const warnings: Warning[] = [];
  const queue: Node[] = files.map(({ path, imports }) => ({ path, imports, depth: 0 }));
  const known = new Set(queue.map(({ path }) => path));
  let left = maxEdges;
  for (const { path, imports, depth } of queue) {
    const from: Edge[] = [];
    edges.set(path, from);
    for (const { path: written, line, isCertain } of imports.slice(0, limits.ofOneFile)) {
      if (world.isLate()) return { edges, warnings };
      if (left === 0) {
        const message = `Only ${maxEdges} imports are followed. The others, and the files they lead to, were not checked.`;
        return { edges, warnings: [...warnings, { code: 'limit_imports', message }] };
      }
      left -= 1;
      const to = targets.pathOf(written, { path, from: syntax.from });
      const target = await targets.look(to);
      if (target === 'not_found' && isCertain)
        warnings.push({ code: 'import_not_found', message: wordsOfMissing(written), path, line, column: 1 });
      if (target !== 'file') continue;
      from.push({ to, line });
      if (known.has(to) || depth >= limits.depth) continue;
      known.add(to);
      const read = await gate.read(to, { ...reach, maxBytes: sizes.fileBytes });
      const text = read.ok ? read.snapshot.text : undefined;
      if (text !== undefined) queue.push({ path: to, imports: findImports(text, syntax), depth: depth + 1 });
    }
  }
  return { edges, warnings };
}

/** Reports the line that closes each circle. */
function circles(edges: Edges, mountedDirectory: string): Warning[] {
  const found: Warning[] = [];
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const way: { path: string; left: Edge[] }[] = [];
    const onWay = new Set<string>();
    const enter = (path: string): void => {
      way.push({ path, left: [...(edges.get(path) ?? [])] });
      onWay.add(path);
    };
    if (!done.has(start)) enter(start);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const edge = last.left.shift();
      if (edge === undefined) {
        way.pop();
        onWay.delete(last.path);
        done.add(last.path);
      } else if (onWay.has(edge.to)) {
        const circle = way.slice(way.findIndex(({ path }) => path === edge.to)).map(({ path }) => path);
        found.push({ ...wordsOf(circle, mountedDirectory), path: last.path, line: edge.line, column: 1 });
      } else if (!done.has(edge.to)) enter(edge.to);
    }
  }
  return found;
}

const maxShown = 5;

function wordsOf(circle: readonly string[], mountedDirectory: string): Pick<Warning, 'code' | 'message'> {
  const names = circle.map((path) => relativePath(mountedDirectory, path));
  const shown = names.length > maxShown ? [...names.slice(0, maxShown), '…'] : names;
  const way = [...shown, names[0]].join(' → ');
  return { code: 'import_cycle', message: `This import closes a circle, where the tool stops: ${way}.` };
}
