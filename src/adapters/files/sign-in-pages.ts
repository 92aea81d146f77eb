/**
 * Page files that lead a browser to an address with a code (S-10). Other users of the machine can read the arguments of
 * a browser, so the arguments name the file, which only its user can read.
 */

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContextdError } from '../../errors.ts';
import { fixedLimits } from '../../settings.ts';
import type { SignInPages } from '../../sign-in/console-sessions.ts';
import { escapeXml } from '../../texts/escape-xml.ts';
import { digestToken } from '../../tokens/access-tokens.ts';

/** Keeps its pages in `directory`, which has nothing else. Removes pages of an earlier daemon. */
export function createSignInPages(directory: string): SignInPages {
  /** The files, by the digest of their code. */
  const files = new Map<string, string>();

  function remove(key: string): void {
    const file = files.get(key);
    files.delete(key);
    if (file !== undefined) rmSync(file, { force: true });
  }
  const removeAll = (): void => {
    files.clear();
    rmSync(directory, { recursive: true, force: true });
  };

  removeAll();
  return Object.freeze({
    create(code, address) {
      const file = join(directory, `sign-in-${randomBytes(8).toString('hex')}.html`);
      const key = keyOf(code);
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        chmodSync(directory, 0o700);
        files.set(key, file);
        writeFileSync(file, pageTo(address), { flag: 'wx', mode: 0o600 });
      } catch (error) {
        remove(key);
        const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
        throw new ContextdError(
          isFull ? 'storage_full' : 'unavailable',
          'The file that opens the console cannot be written.',
        );
      }
      for (const oldest of [...files.keys()].slice(0, -fixedLimits.signIn.pages)) remove(oldest);
      setTimeout(remove, fixedLimits.signIn.pageMs, key).unref();
      return file;
    },
    remove: (code) => remove(keyOf(code)),
    removeAll,
  } satisfies SignInPages);
}

function keyOf(code: string): string {
  return digestToken(code).toString('hex');
}

/** The page runs no script and loads nothing. In browsers that do not follow it, it shows a link. */
function pageTo(address: string): string {
  const text = escapeXml(address);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${text}">
<title>contextd</title>
</head>
<body>
<p><a href="${text}">Open the console</a></p>
</body>
</html>
`;
}
