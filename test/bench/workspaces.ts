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
  const workingDirectory = levels.join('/');
  return { mountedDirectory, workingDirectory, files: [`${workingDirectory}/user-store.ts`] };
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

/** Every third file is chosen by a glob, the others always. */
function contextFile(n: number): string {
  const trigger = n % 3 === 0 ? 'trigger: auto\nglobs: "**/*.{ts,tsx}"' : 'trigger: always';
  const sentence = `Rule ${n}: keep functions short, name things after what they mean, test what can break.\n`;
  const body = sentence.repeat(30).slice(0, bodyBytes);
  return `---\ndescription: What to know about part ${n}\n${trigger}\npriority: ${n * 7}\n---\n${body}`;
}
