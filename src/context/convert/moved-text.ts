/** Lines of a text whose meaning changes at another place: imports, and links that are relative to the file. */
import { isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { fixedLimits } from '../../settings.ts';
import type { ImportSyntax } from '../formats/imports.ts';
import { proseLines } from '../formats/prose.ts';
import { findImports } from '../imports.ts';

type TextLoss = Readonly<{ key: 'imports' | 'links'; line: number; message: string }>;

type Move = {
  /** Absolute paths of the file and of what is written. */
  from: string;
  to: string;
  mountedDirectory: string;
  /** The import syntax of the file, and of its target. */
  reads?: ImportSyntax | undefined;
  imports?: ImportSyntax | undefined;
  /** The name of the target for people. */
  title: string;
};

const shownLosses = 5;

/**
 * The text for its new place. Paths of imports are adapted if both formats import in the same way. Nothing else
 * changes.
 */
export function moveText(body: string, move: Move): { body: string; losses: TextLoss[] } {
  const { from, to, reads, imports, title } = move;
  const losses: TextLoss[] = [];
  const isMoved = parentPath(from) !== parentPath(to);
  const written = imports ?? reads;
  const found = written ? findImports(body, written).slice(0, fixedLimits.imports.ofOneFile) : [];
  const lines = found.length > 0 && imports && imports === reads && isMoved ? body.split('\n') : undefined;
  for (const { path, line, isCertain } of found) {
    if (imports === undefined)
      losses.push({ key: 'imports', line, message: `${title} has no imports; "${path}" stays plain text.` });
    else if (reads !== imports) {
      if (isCertain)
        losses.push({ key: 'imports', line, message: `"${path}" is plain text now, and becomes an import.` });
    } else if (lines && isCertain && !path.startsWith('/') && !path.startsWith('~')) {
      const anew = relativePath(parentPath(to), joinPath(parentPath(from), path));
      const at = line - 1;
      lines[at] = (lines[at] ?? '').replaceAll(`@${path}`, () => `@${anew}`);
      losses.push({ key: 'imports', line, message: `"${path}" is written as "${anew}" in the new file.` });
    }
  }
  const moved = lines?.join('\n') ?? body;
  if (isMoved)
    for (const { path, line } of linksIn(body)) {
      if (!isInside(move.mountedDirectory, joinPath(parentPath(from), path))) continue;
      losses.push({
        key: 'links',
        line,
        message: `The link "${path}" is relative to ${relativePath(move.mountedDirectory, from)}; the link is not changed.`,
      });
    }
  return { body: moved, losses: summarise(losses) };
}

/** Many losses of one kind become one. */
function summarise(losses: readonly TextLoss[]): TextLoss[] {
  return [...Map.groupBy(losses, ({ key }) => key).values()].flatMap((each) => {
    const [first, ...others] = each;
    if (first === undefined || each.length <= shownLosses) return each;
    return [{ ...first, message: `${first.message} The same holds for ${others.length} more.` }];
  });
}

/** Relative targets of links in Markdown, each once. Code and comments have none. */
function linksIn(body: string): { path: string; line: number }[] {
  const found = new Map<string, number>();
  let number = 0;
  for (const line of proseLines(body.slice(0, fixedLimits.imports.characters), { readsComments: false })) {
    number += 1;
    for (let at = line.indexOf(']('); at >= 0; at = line.indexOf('](', at + 2)) {
      const end = line.indexOf(')', at);
      if (end < 0) break;
      const [path = ''] = line
        .slice(at + 2, Math.min(end, at + 2 + fixedLimits.imports.pathCharacters))
        .split(/[#?\s]/u);
      if (isRelative(path) && !isPlaceholder(path) && !found.has(path)) found.set(path, number);
    }
  }
  return [...found].map(([path, line]) => ({ path, line }));
}

function isRelative(path: string): boolean {
  return path !== '' && !/^[/~<#]|^[a-z][a-z\d+.-]*:/iu.test(path);
}

/** Placeholders for a path in an example: `url`, `{link}`, `<name>`, `...`, or the rest of masked code. */
function isPlaceholder(path: string): boolean {
  return /[{}<>`…]|^(?:url|link|path|href|uri|\.{3,})$/u.test(path);
}
