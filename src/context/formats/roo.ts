import { alwaysWhole, manualWhole, type RuleFormat } from './format.ts';

// What no text editor writes for people to read.
const anyFile = (path: string): boolean => !/(?:^|\/)\.|\.(?:lock|log|bak|tmp|swp)$/u.test(path);
const isOfMode = (path: string): boolean => path.startsWith('rules-') && anyFile(path);

export const roo: RuleFormat = {
  name: 'roo',
  tool: 'Roo Code',
  places: [
    { in: 'every', firstOf: ['.roo/rules/'], holds: anyFile, read: alwaysWhole },
    // Those of a mode, in which not everybody works.
    { in: 'every', firstOf: ['.roo/'], holds: isOfMode, enters: isOfMode, read: manualWhole },
    { in: 'root', firstOf: ['.roorules'], read: alwaysWhole },
    { in: 'root', firstOf: ['.roorules-*'], read: manualWhole },
    { in: 'home', firstOf: ['.roo/rules/'], holds: anyFile, read: alwaysWhole },
  ],
};
