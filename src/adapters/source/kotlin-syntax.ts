/**
 * Syntax of Kotlin that the grammar does not know, or takes for something else. Without it, it reads the text around
 * it.
 */
import { blank } from './blank-text.ts';

/** The text as the grammar can read it: all places stay the same. */
export function withoutUnknownSyntax(text: string): string {
  return text
    .replaceAll(contextParameters, blank)
    .replaceAll(routes, (call) => `${call.slice(0, -3)}got`)
    .replaceAll('$$"', '  "')
    .replaceAll(typeTests, withoutGuard)
    .replaceAll(delegations, (by, at: number) => (isHead(lineBefore(text, at)) ? blank(by) : by));
}

/** `context(log: Log)` in front of a function. */
const contextParameters = /^[ \t]{0,200}context\([^()\n]{1,500}\)(?=[ \t]{0,9}(?:\r?$|[a-z@]))/gmu;
/** `get("/") {`, as in Ktor: after a property it looks like its getter. */
const routes = /^[ \t]{0,200}get(?=\("| \{)/gmu;
const typeTests = /^[ \t]{0,200}(?:is|else if) [^\n]{1,500}/gmu;
/** `class A(b: B) : B by b {`: the body looks like an argument of `b`. */
const delegations = / by [\w.]{1,100}(?:\([^()\n]{0,200}\))?(?= \{\r?$)/gmu;

/** `is A if b ->` and `else if b ->`, but not `is A -> if (b)` and `else if (b) c { d -> }`. */
function withoutGuard(line: string): string {
  const from = line.indexOf(' if ');
  const to = line.indexOf('->');
  const isGuard = from >= 0 && from < to && !line.slice(from, to).includes('{');
  return !isGuard ? line : line.slice(0, from) + blank(line.slice(from, to)) + line.slice(to);
}

/** The beginning of a type, or the end of its parameters. Not of a property. */
function isHead(line: string): boolean {
  if (!line.includes(':') || line.includes('=')) return false;
  return line.trimStart().startsWith(')') || /\b(?:class|interface|object) /u.test(line);
}

/** The part of a line before a place. Of a long line, only the end of this part. */
function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - 500), at);
  return near.slice(near.lastIndexOf('\n') + 1);
}
