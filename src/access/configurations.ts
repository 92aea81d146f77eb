/**
 * Configurations of contextd and of other tools. Most contain MCP servers with their `env` and headers. They are
 * settings: contextd reads them for their settings, and never delivers their text to anyone (AP-06, S-50).
 */
import { onceForEach } from '../pace/once-for-each.ts';
import { foldName, originalOf, segmentsOf } from './sensitive.ts';

/**
 * File names, some with their directory, of contextd, Claude Code, Cursor, VS Code, Roo, Amazon Q, Kiro, Trae, Kilo, LM
 * Studio and others. `*` stands for any characters of the name.
 */
const configurationPatterns: readonly string[] =
  `context-config.json .mcp.json .mcp.jsonc mcp.json mcp.jsonc .mcp.yaml .mcp.yml mcp_config.json mcp-config.json
  .mcp.*.json mcp.*.json .mcp.json5 gemini-extension.json mcp_settings.json cline_mcp_settings.json
  mcp-servers.json mcp_servers.json .claude.json claude_desktop_config.json opencode.json opencode.jsonc kilo.json
  kilo.jsonc crush.json .crush.json librechat.yaml .claude/settings*.json .gemini/settings*.json
  .qwen/settings*.json .vscode/settings*.json *.code-workspace .zed/settings*.json zed/settings*.json
  .augment/settings*.json .amp/settings*.json .factory/settings*.json .codex/config*.toml .grok/config*.toml
  .copilot/config*.json goose/config*.yaml .continue/config*.json .continue/config*.yaml .continue/config*.ts
  .continue/mcpservers/* .openhands/config*.toml .amazonq/default.json .amazonq/agents/* .amazonq/cli-agents/*
  .kiro/agents/*`.split(/\s+/u);

/** Other reserved names in a context directory (CC-08). */
const reserved = ['config.json', 'config.yaml', 'config.yml'];
const defaultContextPath = '.context';

type Pattern = { pattern: string; folder: string; beginning: string; ending: string | undefined };

function read(pattern: string): Pattern {
  const at = pattern.lastIndexOf('/') + 1;
  const [beginning = '', ending] = pattern.slice(at).split('*');
  return { pattern, folder: pattern.slice(0, at), beginning, ending };
}

/** The patterns for a context path: those of the daemon's own context path, and of the usual one. */
const patternsFor = onceForEach((clientContextPath: string): readonly Pattern[] => {
  const climbing = /^(?:\.{1,2}\/)+/u.exec(clientContextPath)?.[0] ?? '';
  const places = [defaultContextPath, clientContextPath.slice(climbing.length)].filter((each) => !/^\.*$/u.test(each));
  return [
    ...configurationPatterns,
    ...places.flatMap((place) => reserved.map((name) => `${foldName(place)}/${name}`)),
  ].map(read);
});

/**
 * Returns the pattern that makes a file a configuration, undefined for other files. `clientContextPath`: the setting of
 * the daemon. Names that a file system can take for the same name count as the same, as for sensitive files.
 */
export function decideConfiguration(
  path: string,
  clientContextPath: string = defaultContextPath,
): { pattern: string } | undefined {
  const segments = segmentsOf(foldName(path));
  const [written = ''] = (segments.pop() ?? '').split(':');
  const folder = `/${segments.join('/')}/`;
  const patterns = patternsFor(clientContextPath);
  // A copy counts as its original.
  for (let name: string | undefined = written; name !== undefined; name = originalOf(name)) {
    const known = name;
    const found = patterns.find(
      (each) => fits(each, known) && (each.folder === '' || folder.endsWith(`/${each.folder}`)),
    );
    if (found !== undefined) return { pattern: found.pattern };
  }
  return undefined;
}

function fits({ beginning, ending }: Pattern, name: string): boolean {
  if (ending === undefined) return name === beginning;
  return name.length >= beginning.length + ending.length && name.startsWith(beginning) && name.endsWith(ending);
}
