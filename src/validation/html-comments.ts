/** Finds HTML comments in Markdown: people who read the rendered text do not see them, but models do (S-65). */
import type { ContextFileSource } from '../context/front-matter.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';

/**
 * The beginning of each comment of a body, and of no more than one above those that are listed. Comments in fenced code
 * are visible, so they are not reported.
 */
export function commentWarnings({ body, bodyLine }: ContextFileSource, path: string): Warning[] {
  const warnings: Warning[] = [];
  let fence: string | undefined;
  let isOpen = false;
  for (const [index, line] of body.split('\n').entries()) {
    const mark = isOpen ? undefined : fenceOf(line);
    if (fence !== undefined) {
      if (mark !== undefined && closes(line, fence)) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    for (let at = 0; at >= 0 && at < line.length; ) {
      const next = line.indexOf(isOpen ? '-->' : '<!--', at);
      if (next < 0) break;
      if (!isOpen) {
        const message = 'People do not see this comment in rendered text, but models read it.';
        warnings.push({ code: 'html_comment', message, path, line: bodyLine + index, column: next + 1 });
        if (warnings.length > fixedLimits.validation.diagnostics) return warnings;
      }
      at = next + (isOpen ? 3 : 4);
      isOpen = !isOpen;
    }
  }
  return warnings;
}

/** The backticks or tildes at the beginning of a line that begins or ends fenced code. */
function fenceOf(line: string): string | undefined {
  const text = line.trimStart();
  const mark = text.startsWith('```') ? '`' : text.startsWith('~~~') ? '~' : undefined;
  if (mark === undefined) return undefined;
  let length = 3;
  while (text[length] === mark) length += 1;
  return text.slice(0, length);
}

/** Whether the line contains only a fence of the same kind, at least as long. */
function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.startsWith(fence) && fenceOf(text)?.length === text.length;
}
