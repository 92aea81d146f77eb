import { alwaysWhole, manualWhole, type RuleFormat } from './format.ts';

const anyFile = (): boolean => true;

export const roo: RuleFormat = {
  name: 'roo',
  tool: 'Roo Code',
  places: [
    { in: 'every', firstOf: ['.roo/rules/'], holds: anyFile, read: alwaysWhole },
    // Those of a mode, in which not everybody works.
    { in: 'every', firstOf: ['.roo/'], holds: (path) => /^rules-[^/]+\//u.test(path), read: manualWhole },
    { in: 'root', firstOf: ['.roorules'], read: alwaysWhole },
    { in: 'root', firstOf: ['.roorules-*'], read: manualWhole },
    { in: 'home', firstOf: ['.roo/rules/'], holds: anyFile, read: alwaysWhole },
  ],
};
