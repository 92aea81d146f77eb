/** Messages for people about refusals of the engine or the daemon, without terms of the API. */
import type { ContextdError } from '../../errors.ts';

/** Lines for standard error. The first one follows the name of the program. */
export function wordsOfProblem({ code, message, errors }: ContextdError): string[] {
  const [first] = errors;
  if (code === 'path_outside_roots' && first?.pointer === '/mountedDirectory')
    return ['The daemon may not read this directory. To grant it: contextd roots grant <directory>'];
  const own = errors.filter((error) => error.message !== message);
  if (own.length === 0) return [message];
  const lines = own.map((error) => {
    const subject = wordsOfPointer(error.pointer);
    return subject === '' ? error.message : `${subject}: ${error.message}`;
  });
  // For an invalid request, the message adds nothing to errors about fields.
  const isTold = code === 'invalid_request' && own.every(({ pointer }) => pointer !== '');
  return isTold ? lines : [message, ...lines.map((line) => `  ${line}`)];
}

/** `/activeDocument/path` as `active document path`. */
function wordsOfPointer(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => wordsOfKey(part.replaceAll('~1', '/').replaceAll('~0', '~'))).join(' ');
}

/** A field of the API in words. Names that the user knows, such as variables, are not changed. */
function wordsOfKey(key: string): string {
  if (!/^[a-z]+(?:[A-Z][a-z]+)*$/u.test(key)) return key;
  return key.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}
