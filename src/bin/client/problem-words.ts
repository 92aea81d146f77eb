/** What the engine or the daemon refused, in the words of a person at a terminal: no bodies, no pointers. */
import type { ContextdError } from '../../errors.ts';

/** Lines for standard error, the first of which stands behind the name of the program. */
export function wordsOfProblem({ code, message, errors }: ContextdError): string[] {
  const own = errors.filter((error) => error.message !== message);
  if (own.length === 0) return [message];
  const lines = own.map((error) => {
    const subject = wordsOfPointer(error.pointer);
    return subject === '' ? error.message : `${subject}: ${error.message}`;
  });
  // Of a request that is not valid, mistakes that have a place say all.
  const isTold = code === 'invalid_request' && own.every(({ pointer }) => pointer !== '');
  return isTold ? lines : [message, ...lines.map((line) => `  ${line}`)];
}

/** `/activeDocument/path` as `active document path`. */
function wordsOfPointer(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => wordsOfKey(part.replaceAll('~1', '/').replaceAll('~0', '~'))).join(' ');
}

/** A field of the API in words; what a person named, such as a variable, as it is. */
function wordsOfKey(key: string): string {
  if (!/^[a-z]+(?:[A-Z][a-z]+)*$/u.test(key)) return key;
  return key.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}
