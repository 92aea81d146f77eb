/** Formats whose front matter, where they have any, says nothing but for which files a rule is. */
import { patterns, text } from '../key-forms.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';
import { geminiImports } from './imports.ts';

const read = readWith({ paths: patterns, description: text }, ({ paths, ...about }) =>
  paths === undefined ? { ...about, trigger: 'always' } : { ...about, trigger: 'auto', globs: paths },
);

/** `paths` are those of the mounted directory: files, and folders of Markdown with `/` at their ends. */
function withPaths(name: string, tool: string, ...paths: readonly string[]): RuleFormat {
  return { name, tool, places: paths.map((path) => ({ in: 'root', firstOf: [path], holds: endsWith('.md'), read })) };
}

const qwenRules = withPaths('qwen', 'Qwen Code', '.qwen/rules/');

/** It follows imports in its main file only. */
const qwen: RuleFormat = {
  ...qwenRules,
  places: [{ in: 'root', firstOf: ['QWEN.md'], read, imports: geminiImports }, ...qwenRules.places],
};

export const formatsWithPaths: readonly RuleFormat[] = [
  withPaths('amazon-q', 'Amazon Q', '.amazonq/rules/'),
  qwen,
  withPaths('gitlab-duo', 'GitLab Duo', '.gitlab/duo/chat-rules.md'),
  withPaths('goose', 'Goose', '.goosehints'),
  withPaths('warp', 'Warp', 'WARP.md'),
  withPaths('crush', 'Crush', 'CRUSH.md'),
  withPaths('replit', 'Replit', 'replit.md'),
  withPaths('firebase-studio', 'Firebase Studio', '.idx/airules.md'),
  withPaths('openhands', 'OpenHands', '.openhands/microagents/repo.md'),
  withPaths('grok', 'Grok', '.grok/rules/'),
  withPaths('zed', 'Zed', '.rules'),
];
