import { alwaysWhole, endsWith, manualWhole, type RuleFormat } from './format.ts';
import { instructionsIn } from './opencode.ts';

const holds = endsWith('.md');
const isOfMode = (path: string): boolean => path.startsWith('rules-');
const isRuleOfMode = (path: string): boolean => isOfMode(path) && holds(path);

export const kilo: RuleFormat = {
  name: 'kilo',
  tool: 'Kilo Code',
  places: [
    ...['.kilo/', '.kilocode/'].flatMap((folder): RuleFormat['places'] => [
      { in: 'every', firstOf: [`${folder}rules/`], holds, read: alwaysWhole },
      // Those of a mode, in which not everybody works.
      { in: 'every', firstOf: [folder], ofModes: true, holds: isRuleOfMode, enters: isOfMode, read: manualWhole },
      { in: 'home', firstOf: [`${folder}rules/`], holds, read: alwaysWhole },
    ]),
    { in: 'root', firstOf: ['.kilocoderules'], read: alwaysWhole },
    { in: 'root', firstOf: ['.kilocoderules-*'], read: manualWhole },
    { in: 'home', firstOf: ['.config/kilo/AGENTS.md'], read: alwaysWhole },
  ],
  named: instructionsIn('kilo.json', 'kilo.jsonc', '.kilo/kilo.json', '.kilo/kilo.jsonc'),
};
