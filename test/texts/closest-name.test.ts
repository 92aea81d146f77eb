import { describe, expect, it } from 'vitest';
import { closestName } from '../../src/texts/closest-name.ts';

const fields = ['includeFiles', 'excludeFiles', 'ignoreGlobalContext', 'ignoreAncestorContext'];
const properties = ['description', 'instructions', 'globs', 'appliesTo', 'disabled', 'trigger', 'name', 'type'];

describe('closestName', () => {
  it.each([
    ['includefiles', 'includeFiles'],
    ['include_files', 'includeFiles'],
    ['Include-Files', 'includeFiles'],
    ['includeFile', 'includeFiles'],
    ['inlcudeFiles', 'includeFiles'],
    ['include', 'includeFiles'],
    ['exclude', 'excludeFiles'],
    ['excludeFilesGlobs', 'excludeFiles'],
    ['ignoreGlobal', 'ignoreGlobalContext'],
    ['ignoreAncestorsContext', 'ignoreAncestorContext'],
  ])('CC-09 %s is a slip of %s', (written, meant) => {
    expect(closestName(written, fields)).toBe(meant);
  });

  it.each([
    ['Trigger', 'trigger'],
    ['triger', 'trigger'],
    ['glob', 'globs'],
    ['applies_to', 'appliesTo'],
    ['desciption', 'description'],
    ['disable', 'disabled'],
  ])('CC-27 %s is a slip of %s', (written, meant) => {
    expect(closestName(written, properties)).toBe(meant);
  });

  it.each(['title', 'tags', 'date', 'owner', 'version', 'tools', 'model', 'scope', 'paths', 'a', '', '…', 'enabled'])(
    'CC-27 "%s" is a name of its own',
    (written) => {
      expect(closestName(written, properties)).toBeUndefined();
    },
  );

  it('CC-09 a known name is no slip of another one', () => {
    for (const name of [...fields, ...properties])
      expect(closestName(name, [...fields, ...properties])).toBeUndefined();
    expect(closestName('x'.repeat(100_000), fields)).toBeUndefined();
  });
});
