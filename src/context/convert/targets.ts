/** Targets of a conversion: formats of other tools that can be written, and our own. */
import type { Rule, RuleFormat, WriteRules } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import type { ImportSyntax } from '../formats/imports.ts';
import { type ReadFile, readContextFile } from '../front-matter.ts';
import { knownKeys } from '../front-matter-properties.ts';
import { priorityRange } from '../item-values.ts';
import { typeFromFolder } from '../names.ts';

/** `title`: the name for people. */
export type Target = Readonly<{
  name: string;
  title: string;
  read: ReadFile;
  imports?: ImportSyntax;
  write: WriteRules;
  format?: RuleFormat;
}>;

/** The target with this name. Our own files are written into the context directory. */
export function targetOf(name: string, clientContextPath: string): Target {
  const format = ruleFormats.find((each) => each.name === name);
  const { write } = format ?? {};
  if (format === undefined || write === undefined) return ownTarget(clientContextPath);
  const path = 'file' in write ? write.file : write.folder;
  const place = format.places.find(({ in: kind, firstOf }) => kind !== 'home' && firstOf.includes(path));
  if (place === undefined) throw new Error(`The format ${name} has no place at ${path}.`);
  const title = 'file' in write ? write.file : `${format.tool} (${name})`;
  return { name, title, read: place.read, imports: place.imports, write, format };
}

function ownTarget(clientContextPath: string): Target {
  const folder = `${clientContextPath}/`;
  const keysOf = (rule: Rule, path: string) => ({
    trigger: rule.trigger,
    ...(isForSomeFiles(rule) && { globs: rule.globs }),
    ...(rule.description !== '' && { description: rule.description }),
    ...(rule.instructions !== undefined && { instructions: rule.instructions }),
    ...(rule.name !== undefined && { name: rule.name }),
    ...(rule.type !== typeFromFolder(path, clientContextPath) && { type: rule.type }),
    ...(rule.priority !== priorityRange.default && { priority: rule.priority }),
    // A key that means something here and nothing there would begin to.
    ...Object.fromEntries(Object.entries(rule.properties).filter(([key]) => !knownKeys.includes(key))),
  });
  return {
    name: 'context',
    title: `${clientContextPath}/`,
    read: readContextFile,
    write: { folder, extension: '.md', keysOf },
  };
}

function isForSomeFiles({ trigger, globs }: Rule): boolean {
  return trigger === 'auto' || (trigger === 'agent' && globs.join() !== '*');
}
