import { alwaysWhole, endsWith, manualWhole, type RuleFormat } from './format.ts';

// Roo Code reads any other file, hidden ones too.
const leftBehind = endsWith(
  ...[
    '.ds_store',
    'thumbs.db',
    '.pyc',
    '.pyo',
    '.db',
    '.lock',
    '.log',
    '.cache',
    '.eslintcache',
    '.dump',
    '.dmp',
    '.stackdump',
  ],
  ...['.bak', '.old', '.tmp', '.temp', '.swp', '.swo', '.part', '.partial', '.crdownload'],
);
const anyFile = (path: string): boolean => !leftBehind(path);
const isModeFolder = (path: string): boolean => path.startsWith('rules-');
const isOfMode = (path: string): boolean => isModeFolder(path) && path.includes('/') && anyFile(path);

export const roo: RuleFormat = {
  name: 'roo',
  tool: 'Roo Code',
  places: [
    { in: 'every', firstOf: ['.roo/rules/'], holds: anyFile, read: alwaysWhole },
    // Those of a mode, in which not everybody works.
    { in: 'every', firstOf: ['.roo/'], ofModes: true, holds: isOfMode, enters: isModeFolder, read: manualWhole },
    { in: 'root', firstOf: ['.roorules'], read: alwaysWhole },
    { in: 'root', firstOf: ['.roorules-*'], read: manualWhole },
    { in: 'home', firstOf: ['.roo/rules/'], holds: anyFile, read: alwaysWhole },
  ],
};
