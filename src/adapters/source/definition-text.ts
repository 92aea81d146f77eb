/** What is told of a definition when it is long: comments are cut first, then the definition itself (RT-02). */
import { fixedLimits } from '../../settings.ts';

const commentShare = 4_000;
const maxCommentLines = 80;
/** Shorter than that, a beginning tells nothing. */
const minComment = 40;

/** `comment` is what stands above `definition`, up to where that begins. */
export function fitDefinition(comment: string, definition: string): string {
  const shown = fitLines(definition, fixedLimits.sources.definitionCharacters);
  return `${fitComment(comment, commentShare - shown.length)}${shown}`.replaceAll('\r\n', '\n');
}

/** Documentation inside a definition, of which so many characters are told without it. */
export function fitInnerComment(comment: string, around: number): string {
  const shown = fitLines(comment, Math.max(minComment, commentShare - around));
  const [quotes = ''] = /^[a-z]*("""|'''|["'])/iu.exec(comment.trimStart())?.slice(1) ?? [];
  return shown === comment ? comment : `${shown}${quotes}`;
}

/** The lines that fit into so many characters, and a mark where others follow. */
function fitLines(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.lastIndexOf('\n', max);
  return `${text.slice(0, end > 0 ? end : max).toWellFormed()}\n…`;
}

/** Attributes, which Rust has among its comments, stay. */
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
