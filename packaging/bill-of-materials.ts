/** What is in a package that is not ours: one list for programs (CycloneDX), one for people (the texts of all licenses). */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import packageLock from '../package-lock.json' with { type: 'json' };
import { type PackageJson, readPackageJson, root } from './bundle.ts';

/** Nothing in it tells when or where it was made, so that the same source makes the same file. */
export function billOfMaterials(packed: PackageJson, directories: readonly string[]): string {
  const bom = new Models.Bom();
  const of = (type: Enums.ComponentType, manifest: PackageJson) => {
    const purl = `pkg:npm/${manifest.name.replace('@', '%40')}@${manifest.version}`;
    const component = new Models.Component(type, manifest.name, { version: manifest.version, purl, bomRef: purl });
    component.licenses.add(new Models.LicenseExpression(manifest.license ?? 'NOASSERTION'));
    return component;
  };
  const whole = of(Enums.ComponentType.Application, packed);
  bom.metadata.component = whole;
  const seen = new Set<string>();
  for (const directory of directories) {
    const { name, version } = readPackageJson(directory);
    // The same one can lie in two places.
    if (seen.has(`${name} ${version}`)) continue;
    seen.add(`${name} ${version}`);
    const component = of(Enums.ComponentType.Library, readPackageJson(directory));
    const integrity = integrityOf(directory);
    if (integrity !== undefined)
      component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(integrity, 'base64').toString('hex'));
    bom.components.add(component);
    whole.dependencies.add(component.bomRef);
  }
  const normalize = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(normalize).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** Of the archive in the registry, by the lock file. */
function integrityOf(directory: string): string | undefined {
  const packages = packageLock.packages as Record<string, { integrity?: string }>;
  return packages[relative(root, directory)]?.integrity?.replace('sha512-', '');
}

/** Whose work packages are that name the MIT license and do not hold its text: by their repositories. */
const holders: Readonly<Record<string, string>> = {
  'abstract-logging': 'James Sumners',
  'onnxruntime-common': 'Microsoft Corporation',
  'onnxruntime-node': 'Microsoft Corporation',
  'onnxruntime-web': 'Microsoft Corporation',
};

/** Work of others inside a package, under the MIT license, whose text the package does not hold: whose work. */
const inside: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@repomix/tree-sitter-wasms': {
    'tree-sitter-dart': '2020-2022 UserNobody14 and others',
    'tree-sitter-swift': '2021 alex-pinkus',
  },
};

/** The texts of all licenses. Throws for a package whose text is not known. */
export function licenseTexts(directories: readonly string[]): string {
  const parts = directories.map((directory) => {
    const { name, version, license = 'unknown' } = readPackageJson(directory);
    const others = Object.entries(inside[name] ?? {}).map(
      ([work, holder]) => `\n${work}\nLicense: MIT\n\n${mitOf(holder)}\n`,
    );
    return `${name} ${version}\nLicense: ${license}\n\n${licenseTextOf(directory)}\n${others.join('')}`;
  });
  return `What is in this package besides contextd itself.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function licenseTextOf(directory: string): string {
  const { name, license } = readPackageJson(directory);
  // The native part of this one has no text of its own.
  if (name.startsWith('@oxc-parser/')) return licenseTextOf(join(root, 'node_modules/oxc-parser'));
  const present = readdirSync(directory).sort();
  const files = present.filter((file) => /^(?:licen[cs]e|copying|notice|third-?party-?notices)/iu.test(file));
  if (files.length > 0) return files.map((file) => readFileSync(join(directory, file), 'utf8').trim()).join('\n\n');
  const readme = present.find((file) => /^readme\.md$/iu.test(file));
  const [, ofReadme = ''] = (readme === undefined ? '' : readFileSync(join(directory, readme), 'utf8')).split(
    /^## license$/imu,
  );
  if (ofReadme.includes('Permission is hereby granted')) return ofReadme.trim();
  const holder = holders[name];
  if (license !== 'MIT' || holder === undefined) throw new Error(`${name} has no text of its license, ${license}.`);
  return mitOf(holder);
}

function mitOf(holder: string): string {
  return readFileSync(join(root, 'LICENSE'), 'utf8')
    .trim()
    .replace(/^Copyright .*$/mu, `Copyright (c) ${holder}`);
}
