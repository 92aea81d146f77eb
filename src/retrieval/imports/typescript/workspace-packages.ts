/** Finds the packages of a workspace by name (npm and Yarn `workspaces`, `pnpm-workspace.yaml`, `lerna.json`). */
import { joinPath } from '../../../access/paths.ts';
import { ownValue } from '../../../texts/own-value.ts';
import { textsOf } from '../../../texts/texts-of.ts';
import type { Lookup } from '../import.ts';
import { findPackageDirectories } from '../package-directories.ts';
import { directoriesFrom, oncePerDirectory } from '../places.ts';
import { readYamlKey } from '../yaml-key.ts';
import { type PackageManifest, parsePackageManifest } from './package-manifest.ts';

const members = { manifest: 'package.json', outside: new Set(['node_modules']) };

export type Package = { directory: string; manifest: PackageManifest };

export const nearestPackage = oncePerDirectory(async (directory, lookup): Promise<Package | undefined> => {
  for (const at of directoriesFrom(directory, lookup)) {
    const manifest = await lookup.derive(joinPath(at, 'package.json'), parsePackageManifest);
    if (manifest) return { directory: at, manifest };
  }
  return undefined;
});

/** A package of the workspace, by the name that a file in `directory` uses. */
export async function findPackage(name: string, directory: string, lookup: Lookup): Promise<Package | undefined> {
  const own = await nearestPackage(directory, lookup);
  if (own?.manifest.name === name) return own;
  const linked = ownValue(own?.manifest.linked, name);
  const packages = await findWorkspacePackages(directory, lookup);
  const place = own && linked !== undefined ? joinPath(own.directory, linked) : packages.get(name);
  const manifest = place && (await lookup.derive(joinPath(place, 'package.json'), parsePackageManifest));
  return place && manifest ? { directory: place, manifest } : undefined;
}

/** The directories of packages by name, for a file in `directory`, from all workspaces around it. */
const findWorkspacePackages = oncePerDirectory(async (directory, lookup): Promise<ReadonlyMap<string, string>> => {
  const above = await Promise.all(directoriesFrom(directory, lookup).map((root) => packagesBelow(root, lookup)));
  const found = above.filter((packages) => packages.size > 0);
  const [first, ...others] = found;
  // Of packages with the same name, the outermost counts.
  return first && others.length === 0 ? first : new Map(found.flatMap((packages) => [...packages]));
});

const packagesBelow = oncePerDirectory(async (root, lookup): Promise<ReadonlyMap<string, string>> => {
  const byName = new Map<string, string>();
  const patterns = await workspacePatterns(root, lookup);
  if (patterns.length === 0) return byName;
  const directories = await findPackageDirectories(root, { ...members, patterns }, lookup);
  const manifests = directories.map((found) => lookup.derive(joinPath(found, 'package.json'), parsePackageManifest));
  for (const [index, manifest] of (await Promise.all(manifests)).entries())
    if (manifest?.name !== undefined && !byName.has(manifest.name))
      byName.set(manifest.name, directories[index] as string);
  return byName;
});

async function workspacePatterns(root: string, lookup: Lookup): Promise<readonly string[]> {
  const fromPnpm = await lookup.derive(joinPath(root, 'pnpm-workspace.yaml'), readYaml);
  const fromNpm = await lookup.derive(joinPath(root, 'package.json'), parsePackageManifest);
  const fromLerna = await lookup.derive(joinPath(root, 'lerna.json'), readJson);
  return [...(fromPnpm ?? []), ...(fromNpm?.workspaces ?? []), ...(fromLerna ?? [])];
}

const readYaml = (text: string): string[] => textsOf(readYamlKey(text, 'packages'));

const readJson = (text: string): string[] => textsOf((JSON.parse(text) as { packages?: unknown }).packages);
