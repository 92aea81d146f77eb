/** Formats without front matter, or whose front matter says only which files a rule is for. */
import { patterns, text } from '../front-matter-key-forms.ts';
import { endsWith, type Place, type RuleFormat, readWith } from './format.ts';
import { geminiImports } from './imports.ts';

const read = readWith({ paths: patterns, description: text }, ({ paths, ...about }) =>
  paths === undefined ? { ...about, trigger: 'always' } : { ...about, trigger: 'auto', globs: paths },
);

/**
 * `paths`: of the mounted directory or, with `~/`, of the home directory: files, and folders of Markdown with `/` at
 * the end.
 */
function withPaths(name: string, tool: string, ...paths: readonly string[]): RuleFormat {
  const holds = endsWith('.md');
  const placeOf = (path: string): Place =>
    path.startsWith('~/')
      ? { in: 'home', firstOf: [path.slice(2)], holds, read }
      : { in: 'root', firstOf: [path], holds, read };
  return { name, tool, places: paths.map(placeOf) };
}

const qwenRules = withPaths('qwen', 'Qwen Code', '.qwen/rules/', '~/.qwen/rules/');

/** It follows imports in its main file only. */
const qwen: RuleFormat = {
  ...qwenRules,
  places: [
    { in: 'root', firstOf: ['QWEN.md'], read, imports: geminiImports },
    { in: 'home', firstOf: ['.qwen/QWEN.md'], read, imports: geminiImports },
    ...qwenRules.places,
  ],
};

export const formatsWithPaths: readonly RuleFormat[] = [
  withPaths('amazon-q', 'Amazon Q', 'AmazonQ.md', '.amazonq/rules/'),
  qwen,
  withPaths('gitlab-duo', 'GitLab Duo', '.gitlab/duo/chat-rules.md'),
  withPaths('goose', 'Goose', '.goosehints', '~/.config/goose/.goosehints'),
  withPaths('warp', 'Warp', 'WARP.md'),
  withPaths('crush', 'Crush', 'CRUSH.md', '~/.config/crush/CRUSH.md', '~/.config/AGENTS.md'),
  withPaths('replit', 'Replit', 'replit.md'),
  withPaths('firebase-studio', 'Firebase Studio', '.idx/airules.md'),
  withPaths('grok', 'Grok', '.grok/rules/', '~/.grok/AGENTS.md', '~/.grok/rules/'),
  withPaths('zed', 'Zed', '.rules', '~/.config/zed/AGENTS.md'),
];
