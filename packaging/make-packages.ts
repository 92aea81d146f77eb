/**
 * Makes what is published on npm: `contextd`, which has everything in it and depends on nothing, and for each platform the
 * runtime of the embedding model, which npm leaves out where it is not for the machine. Nothing runs when they are installed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };
import { billOfMaterials, licenseTexts } from './bill-of-materials.ts';
import { bundleInto, readPackageJson, root } from './bundle.ts';

/** Those for which both the parser and the runtime of the model are there. `binding`: the parser's. */
export const platforms = [
  { os: 'linux', cpu: 'x64', binding: 'linux-x64-gnu' },
  { os: 'linux', cpu: 'arm64', binding: 'linux-arm64-gnu' },
  { os: 'darwin', cpu: 'arm64', binding: 'darwin-arm64' },
] as const;
export type Platform = (typeof platforms)[number];

/** That of this machine. */
export const ownPlatform = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);

export const runtimeName = ({ os, cpu }: Platform): string => `contextd-onnxruntime-${os}-${cpu}`;

const { name, version, description, license, engines } = packageJson;
const libraries = join(root, 'node_modules');
/** The registry says then by which run of which repository a package was made. */
const publishConfig = { access: 'public', provenance: true };

/** `release`: npm is to look for the runtimes in its registry, where they must be ours. */
type Making = { only?: readonly Platform[]; release?: boolean };

/** Writes them into folders of their names in `directory`. With fewer than all `only`, the network is not needed. */
export async function makePackages(directory: string, { only = platforms, release = false }: Making): Promise<void> {
  await makeProgram(join(directory, name), { only, release });
  for (const platform of only) await makeRuntime(join(directory, runtimeName(platform)), platform);
}

async function makeProgram(directory: string, { only, release }: Required<Making>): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundled = await bundleInto(join(directory, 'dist'));
  for (const { binding } of only) {
    const file = `parser.${binding}.node`;
    writeFileSync(join(directory, 'dist', file), fileOf(`@oxc-parser/binding-${binding}`, file));
  }
  const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE', 'docs'];
  for (const path of ['openapi/openapi.json', 'openapi/schemas', 'clients', ...pages])
    cpSync(join(root, path), join(directory, path), { recursive: true });
  cpSync(join(root, 'openapi/schemas'), join(directory, 'schemas'), { recursive: true });
  writeFileSync(join(directory, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(bundled));
  writeFileSync(join(directory, 'sbom.cdx.json'), billOfMaterials(packageJson, bundled));
  writeManifest(directory, {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: packageJson.bin,
    // Of exactly this version: they are made together. What is made here finds the one that is installed beside it; anybody
    // could publish something under a name that is not taken yet.
    ...(release && {
      optionalDependencies: Object.fromEntries(platforms.map((platform) => [runtimeName(platform), version])),
    }),
  });
}

async function makeRuntime(directory: string, { os, cpu }: Platform): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const library = join(libraries, 'onnxruntime-node');
  const bundle = await rolldown({ input: join(library, 'dist/index.js'), platform: 'node', logLevel: 'silent' });
  // Where its own lies, so that the path to the native part is right.
  await bundle.write({ file: join(directory, 'dist/index.cjs'), format: 'cjs' });
  await bundle.close();
  const native = `bin/napi-v6/${os}/${cpu}`;
  // macOS has the same library there twice, by a short and by a long name; the short one is loaded.
  const filter = (path: string) => !/\.\d+\.\d+\.\d+\.dylib$/u.test(path);
  cpSync(join(library, native), join(directory, native), { recursive: true, filter });
  const parts = [library, join(libraries, 'onnxruntime-common')];
  writeFileSync(join(directory, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(parts));
  const manifest = {
    name: runtimeName({ os, cpu } as Platform),
    version,
    description: `ONNX Runtime ${readPackageJson(library).version} for contextd on ${os} ${cpu}.`,
    license: 'MIT',
    os: [os],
    cpu: [cpu],
    main: 'dist/index.cjs',
    ...(os === 'linux' && { libc: ['glibc'] }),
  };
  writeFileSync(join(directory, 'sbom.cdx.json'), billOfMaterials(manifest, parts));
  writeManifest(directory, manifest);
}

function writeManifest(directory: string, manifest: object): void {
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ ...manifest, publishConfig }, undefined, 2)}\n`);
}

/** A file of a package of the lock file: the installed one, or from the registry, checked by the lock file's hash. */
function fileOf(library: string, file: string): Buffer {
  try {
    return readFileSync(join(libraries, library, file));
  } catch {
    const locked = (packageLock.packages as Record<string, { version?: string; integrity?: string }>)[
      `node_modules/${library}`
    ];
    return fileFromRegistry(`${library}@${locked?.version}`, file, locked?.integrity);
  }
}

/** Throws when what the registry has is not what `integrity` says. */
export function fileFromRegistry(specifier: string, file: string, integrity: string | undefined): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'contextd-'));
  try {
    const archive = `${execFileSync('npm', ['pack', '--silent', '--pack-destination', directory, specifier])}`.trim();
    const packed = readFileSync(join(directory, archive));
    const found = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    if (found !== integrity) throw new Error(`${specifier} is not what the lock file says: ${found}`);
    mkdirSync(join(directory, 'files'));
    execFileSync('tar', ['-xzf', join(directory, archive), '-C', join(directory, 'files'), '--strip-components=1']);
    return readFileSync(join(directory, 'files', file));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const directory = join(root, 'build/package');
  const only = process.argv.includes('--this-platform') && ownPlatform ? [ownPlatform] : platforms;
  await makePackages(directory, { only, release: process.argv.includes('--release') });
  console.log(`The packages are in ${directory}: npm pack or npm publish each.`);
}
