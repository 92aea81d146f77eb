/** The workspaces that are measured: a chain of six directories, each with its context directory. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';

const levels = ['packages', 'server', 'source', 'accounts', 'storage'];
const filesPerDirectory = 10;
const bodyBytes = 102_400 / ((levels.length + 1) * filesPerDirectory);

/** Makes the chain in `mountedDirectory`: 60 context files with 100 KB of bodies, all active, and six configurations. */
export function writeChain(mountedDirectory: string): ResolveRequest {
  for (const [depth, directory] of chainOf(mountedDirectory).entries()) {
    const contextDirectory = join(directory, '.context');
    mkdirSync(join(contextDirectory, 'rules'), { recursive: true });
    writeFileSync(
      join(contextDirectory, 'context-config.json'),
      JSON.stringify({ clientContext: { excludeFiles: ['drafts/**', `old-${depth}.md`] } }),
    );
    for (let n = 0; n < filesPerDirectory; n += 1) {
      const place = n % 2 === 0 ? contextDirectory : join(contextDirectory, 'rules');
      writeFileSync(join(place, `rule-${n}.md`), contextFile(depth * filesPerDirectory + n));
    }
  }
  return { mountedDirectory, workingDirectory: levels.join('/') };
}

/** Spreads `count` files, in folders of a hundred, over the directories of the chain. */
export function writeRepositoryFiles(mountedDirectory: string, count: number): void {
  const chain = chainOf(mountedDirectory);
  let folder = '';
  let original = '';
  for (let n = 0; n < count; n += 1) {
    if (n % 100 === 0) {
      folder = join(chain[(n / 100) % chain.length] as string, `module-${n / 100}`);
      mkdirSync(folder, { recursive: true });
    }
    const path = join(folder, `file-${n}.ts`);
    // Hard links are made many times faster than files; a file system allows some ten thousand of one file.
    if (n % 10_000 !== 0) linkSync(original, path);
    else {
      writeFileSync(path, 'export {};\n');
      original = path;
    }
  }
}

function chainOf(mountedDirectory: string): string[] {
  return [mountedDirectory, ...levels.map((_, at) => join(mountedDirectory, ...levels.slice(0, at + 1)))];
}

/** In ASCII and without globs, whose reasons are not: the load generator decodes answers in pieces cut anywhere. */
function contextFile(n: number): string {
  const sentence = `Rule ${n}: keep functions short, name things after what they mean, test what can break.\n`;
  const body = sentence.repeat(30).slice(0, bodyBytes);
  return `---\ndescription: What to know about part ${n}\ntrigger: always\npriority: ${n * 7}\n---\n${body}`;
}
