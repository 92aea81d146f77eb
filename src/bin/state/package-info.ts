import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wrongSetup } from '../exit-codes.ts';

/** The directory of this package: the nearest one above this file with a `package.json`, in a clone and in `dist/`. */
export function packageDirectory(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) {
    if (directory === dirname(directory)) {
      const message = `There is no package.json above ${import.meta.dirname}: the program is incomplete. Install it again.`;
      throw wrongSetup(message);
    }
    directory = dirname(directory);
  }
  return directory;
}

export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageDirectory(), 'package.json'), 'utf8')).version;
}
