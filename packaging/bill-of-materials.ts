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

/** The texts of all licenses. A package that has no text is named with its license and where the text is known from. */
export function licenseTexts(directories: readonly string[]): string {
  const parts = directories.map((directory) => {
    const { name, version, license = 'unknown', author } = readPackageJson(directory);
    const files = readdirSync(directory).filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file));
    const texts = files.sort().map((file) => readFileSync(join(directory, file), 'utf8').trim());
    const by = typeof author === 'string' ? author : author?.name;
    const none = `Its package has no text of the license${by === undefined ? '' : `; it is by ${by}`}.`;
    return `${name} ${version}\nLicense: ${license}\n\n${texts.length > 0 ? texts.join('\n\n') : none}\n`;
  });
  return `What is in this package besides contextd itself.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
