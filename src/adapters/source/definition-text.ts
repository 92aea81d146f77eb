/** Shortens the text of a long definition: first its comments, then the definition itself (RT-02). */
import { fixedLimits } from '../../settings.ts';

const commentShare = 4_000;
const maxCommentLines = 80;
/** A shorter beginning of a comment says nothing. */
const minComment = 40;

/** `comment`: the text above `definition`, up to its beginning. */
export function fitDefinition(comment: string, definition: string): string {
  const shown = fitLines(definition, fixedLimits.sources.definitionCharacters);
  return `${fitComment(comment, commentShare - shown.length)}${shown}`.replaceAll('\r\n', '\n');
}

/** Shortens documentation inside a definition. `around`: the characters of the rest of the shown definition. */
export function fitInnerComment(comment: string, around: number): string {
  const shown = fitLines(comment, Math.max(minComment, commentShare - around));
  const [quotes = ''] = /^[a-z]*("""|'''|["'])/iu.exec(comment.trimStart())?.slice(1) ?? [];
  return shown === comment ? comment : `${shown}${quotes}`;
}

/** The lines that fit into `max` characters, with a mark if more follow. */
export function fitLines(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.lastIndexOf('\n', max);
  return `${text.slice(0, end > 0 ? end : max).toWellFormed()}\n…`;
}

/** Keeps attributes, which Rust has among its comments. */
function fitComment(comment: string, max: number): string {
  const lines = comment.split('\n');
  if (comment.length <= max && lines.length <= maxCommentLines) return comment;
  const indentation = lines.pop() ?? '';
  const kept: string[] = [];
  const attributes: string[] = [];
  let left = max - minComment;
  for (const line of lines) {
    left -= line.length + 1;
    if (left >= 0 && kept.length < maxCommentLines) kept.push(line);
    else if (/^[ \t]*#!?\[/u.test(line)) attributes.push(line.slice(0, commentShare));
  }
  const text = kept.join('\n');
  const isOpen = text.lastIndexOf('/*') > text.lastIndexOf('*/');
  return `${[...kept, isOpen ? ' … */' : '…', ...attributes.slice(0, maxCommentLines)].join('\n')}\n${indentation}`;
}
