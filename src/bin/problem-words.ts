/** What the engine or the daemon refused, in the words of a person at a terminal: no bodies, no pointers. */
import type { ContextdError } from '../errors.ts';

/** Lines for standard error, the first of which stands behind the name of the program. */
export function wordsOfProblem({ message, errors }: Pick<ContextdError, 'message' | 'errors'>): string[] {
  const own = errors.filter((error) => error.message !== message);
  if (own.length === 0) return [message];
  const lines = own.map((error) => {
    const subject = wordsOfPointer(error.pointer);
    return subject === '' ? error.message : `${subject}: ${error.message}`;
  });
  // That something about the request is not valid says less than what it is.
  return /^The \w+ is not valid\.$/u.test(message) ? lines : [message, ...lines.map((line) => `  ${line}`)];
}

/** `/activeDocument/path` as `active document path`. */
function wordsOfPointer(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  const words = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return words.map((word) => word.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)).join(' ');
}
