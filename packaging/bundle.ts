/** Builds the program and its console, and tells which packages went into them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { assetFiles, input, output } from '../rolldown.config.ts';

export const root = join(import.meta.dirname, '..');

/** Writes both into `directory`, and returns the directories of the packages that parts of them are from. */
export async function bundleInto(directory: string): Promise<string[]> {
  const program = await rolldown({ ...input, logLevel: 'silent' });
  const { output: files } = await program.write({ ...output, dir: directory });
  await program.close();
  const built = await build({
    configFile: join(root, 'src/console/vite.config.ts'),
    logLevel: 'error',
    build: { outDir: join(directory, 'console') },
  });
  const console = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const modules = [...files, ...console].flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const directories = [...modules, ...assetFiles()].flatMap((path) => packageDirectoryOf(path) ?? []);
  // Its authors have put this one into it.
  const inside = directories.some((path) => path.endsWith('/@xenova/transformers')) ? ['onnxruntime-web'] : [];
  return [...new Set([...directories, ...inside.map((name) => join(root, 'node_modules', name))])].sort();
}

/** Of a file in `node_modules`; undefined for one of ours. */
function packageDirectoryOf(path: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(path)?.[1];
}

export type PackageJson = {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
};

export function readPackageJson(directory: string): PackageJson {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as PackageJson;
}
