/** Which files are configurations, whose text no operation gives away. */
import { describe, expect, it } from 'vitest';
import { decideConfiguration } from '../../src/access/configurations.ts';

describe('decideConfiguration', () => {
  it.each([
    '.context/context-config.json',
    'anywhere/context-config.json',
    '.context/config.json',
    'src/.context/config.yaml',
    '.context/config.yml',
    '.mcp.json',
    'mcp.json',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
    '.vscode/settings.json',
    '.roo/mcp.json',
    '.kiro/settings/mcp.json',
    '.amazonq/mcp.json',
    '.amazonq/agents/reviewer.json',
    '.gemini/settings.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.codex/config.toml',
    '.zed/settings.json',
    '.config/zed/settings.json',
    '.continue/mcpServers/one.yaml',
    'claude_desktop_config.json',
    'opencode.json',
    'shop.code-workspace',
    // Copies, and forms for one machine.
    ...[
      '.mcp.json.bak',
      '.mcp.json.orig',
      '.cursor/mcp.json.bak',
      '.vscode/settings.json.old',
      '.codex/config.toml.bak',
    ],
    ...['.context/config.yaml.bak', '.context/context-config.json.bak.1', '.claude.json.backup.1700000000000'],
    ...['.mcp.local.json', '.mcp.json5', 'gemini-extension.json'],
    // What some file system takes for the same name.
    '.CURSOR/MCP.JSON',
    '.mcp.json.',
    '.mcp.json~',
    '.mcp.json::$DATA',
    '.cursor./mcp.json ',
    '.\u{FF4D}cp.json',
    '.m\u{200B}cp.json',
    '.cursor\\mcp.json',
  ])('AP-06 %j is one', (path) => {
    expect(decideConfiguration(`/home/ada/shop/${path}`)).toBeDefined();
  });

  it.each([
    'config.json',
    'src/config.yaml',
    '.context/rules/config.json',
    'settings.json',
    'zed.json',
    'notmcp.json',
    'mcp.json.md',
    'mcp.jsonx',
    'notes/.mcp.json/readme.md',
    '.claude/rules/a.md',
    '.claude/commands/settings.md',
    'package.json',
    'tsconfig.json',
    '.vscode/launch.json',
  ])('AP-06 %j is none', (path) => {
    expect(decideConfiguration(`/home/ada/shop/${path}`)).toBeUndefined();
  });

  it.each([
    ['.ai', '.ai/config.json'],
    ['docs/ai', 'docs/AI/config.yaml'],
    ['../shared', 'shared/config.yml'],
  ])(
    'AP-06 CC-08 by the client context path %s, %s is one, and so is that of the usual path',
    (clientContextPath, path) => {
      expect(decideConfiguration(`/home/ada/shop/${path}`, clientContextPath)).toBeDefined();
      expect(decideConfiguration('/home/ada/shop/.context/config.json', clientContextPath)).toBeDefined();
      expect(decideConfiguration(`/home/ada/shop/${path}`)).toBeUndefined();
      expect(decideConfiguration('/home/ada/shop/src/config.json', clientContextPath)).toBeUndefined();
    },
  );

  it('AP-06 a client context path of dots alone makes no other file one', () => {
    expect(decideConfiguration('/home/ada/shop/src/config.json', '..')).toBeUndefined();
  });
});
