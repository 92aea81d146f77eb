/** Every regular expression that the program is written with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** `made`: put together when the program runs, so that only its making can be shown. */
type FoundExpression = { file: string; line: number; pattern: string; flags: string; made?: true };

const root = join(import.meta.dirname, '../..');

export function findExpressions(folders: readonly string[]): FoundExpression[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name))
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        return expressionsIn(relative(root, path), readFileSync(path, 'utf8'));
      }),
  );
}

export function expressionsIn(file: string, text: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const made = (node: { start: number; end: number; callee: unknown }): void => {
    const { type, name } = node.callee as { type: string; name?: string };
    if (type !== 'Identifier' || name !== 'RegExp') return;
    found.push({ file, line: lineAt(node.start), pattern: text.slice(node.start, node.end), flags: '', made: true });
  };
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed`);
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex !== null)
        found.push({ file, line: lineAt(node.start), pattern: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: made,
    CallExpression: made,
  }).visit(program);
  return found;
}

/** Without repetition an expression looks at a fixed number of characters from each place of a text. */
export function repeats(pattern: string): boolean {
  const outside = pattern.replaceAll(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\./gu, 'e').replaceAll(/\[[^\]]*\]/gu, 'c');
  return /[*+]|\{\d+(?:,\d*)?\}/u.test(outside);
}
