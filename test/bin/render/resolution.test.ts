import { describe, expect, it } from 'vitest';
import { createSheet, type PageOptions } from '../../../src/bin/render/page.ts';
import { renderResolution } from '../../../src/bin/render/resolution.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';
import type { ContextFile } from '../../../src/context/context-file.ts';
import type { ResolveResult } from '../../../src/context/resolve-result.ts';
import type { ReasonCode } from '../../../src/reason-codes.ts';
import type { WarningCode } from '../../../src/warning-codes.ts';

const mounted = '/home/me/shop';

function file(name: string, over: Partial<ContextFile> = {}): ContextFile {
  const owner = over.owner ?? mounted;
  return {
    name,
    type: 'rule',
    path: `${owner}/.context/${name}.md`,
    relativePath: `.context/${name}.md`,
    scope: 'static',
    source: 'context-directory',
    owner,
    trigger: 'always',
    description: '',
    globs: ['*'],
    priority: 500,
    properties: {},
    state: 'active',
    reason: { code: 'trigger_always' },
    bytes: 100,
    tokens: 1_234,
    truncated: false,
    sha256: '',
    ...over,
  };
}

function result(over: Partial<ResolveResult> = {}): ResolveResult {
  return {
    mountedDirectory: mounted,
    workingDirectories: [mounted],
    files: [],
    excluded: [],
    config: {
      clientContext: {
        includeFiles: ['*'],
        excludeFiles: ['context-config.json'],
        ignoreGlobalContext: false,
        ignoreAncestorContext: false,
      },
      mcpServers: {},
    },
    configSources: [],
    omitted: [],
    warnings: [],
    usage: { files: 0, bytes: 0, tokens: 0, omitted: [] },
    digest: '',
    ...over,
  };
}

const render = (of: ResolveResult, options: Partial<PageOptions> = {}) =>
  renderResolution(
    of,
    createSheet({ columns: 80, colors: false, home: '/home/me', directory: of.mountedDirectory, ...options }),
  );

const rich = result({
  workingDirectories: [`${mounted}/src/checkout`],
  files: [
    file('~:style', { owner: '/home/me', scope: 'global', tokens: 120 }),
    file('formatting', { priority: 10 }),
    file('deploy', { state: 'available', reason: { code: 'needs_mention' } }),
    file('tests', { state: 'available', globs: ['*.spec.ts'], reason: { code: 'no_glob_matched' } }),
    file('guide', { source: 'include', truncated: true, bytes: 3_000_000, path: `${mounted}/docs/guide.md` }),
    file('src/checkout:react', {
      owner: `${mounted}/src/checkout`,
      scope: 'dynamic',
      reason: { code: 'glob_matched', detail: '*.tsx ↔ src/checkout/cart.tsx' },
    }),
  ],
  excluded: [
    { path: `${mounted}/.context/server.key`, reason: { code: 'sensitive', detail: '.key' } },
    {
      path: `${mounted}/.context/old.md`,
      reason: {
        code: 'excluded_by_config' as const,
        detail: `excludeFiles "old*" in ${mounted}/.context/context-config.json`,
      },
    },
  ],
  config: {
    clientContext: {
      includeFiles: ['*', 'docs/*.md'],
      excludeFiles: ['context-config.json', 'old*'],
      ignoreGlobalContext: false,
      ignoreAncestorContext: true,
    },
    mcpServers: {
      github: {
        command: 'npx',
        args: ['-y', '@mcp/github'],
        definedIn: '/home/me/.context/context-config.json',
        scope: 'global',
      },
    },
  },
  configSources: [{ path: `${mounted}/.context/context-config.json`, scope: 'static' }],
  warnings: [
    {
      code: 'unknown_config_key',
      message: 'No such key.',
      path: `${mounted}/.context/context-config.json`,
      line: 3,
      column: 5,
    },
    { code: 'limit_files', message: 'Too much.' },
  ],
  usage: { files: 4, bytes: 2_048, tokens: 42_553, omitted: [] },
});

describe('the page of resolve', () => {
  it('FM-02 says of which format a file of another tool is', () => {
    const files = [{ ...rich.files[0], format: 'agents-md', source: 'format' as const } as (typeof rich.files)[0]];
    expect(render({ ...rich, files })).toContain('always · agents-md');
  });

  it('SY-04 says what is active and why, what is left out and why, and what decided', () => {
    expect(render(rich)).toMatchInlineSnapshot(`
      "/home/me/shop
      working in src/checkout
      4 of 6 files active, 42,553 tokens, 2.0 KiB

      Global (~)                                                                tokens
        ● ~:style             always                                               120

      Mounted directory
        ● formatting          always · priority 10                               1,234
        ○ deploy              waits for a mention                                1,234
        ○ tests               waits for *.spec.ts; no file in play matches       1,234
        ● guide               always · included by configuration · only the      1,234
                              beginning of 2.9 MiB

      src/checkout
        ● src/checkout:react  matches *.tsx ↔ src/checkout/cart.tsx              1,234

      Left out
        ✕ .context/server.key  sensitive, never read: .key
        ✕ .context/old.md      excluded: excludeFiles "old*" in
                               .context/context-config.json

      Configuration
        includes   docs/*.md
        excludes   old*
        ignores    ancestor context
        servers    github: npx -y @mcp/github (from ~/.context/context-config.json)
        read from  .context/context-config.json

      Warnings
        ! .context/context-config.json:3:5
          No such key.
        ! limit_files
          Too much.
      "
    `);
  });

  it('says once what is wrong with several files', () => {
    const warnings = ['a', 'b', 'c'].map((name) => ({
      code: 'symlink' as const,
      message: name === 'b' ? 'Elsewhere.' : 'Not followed.',
      path: `/home/me/shop/.claude/skills/${name}`,
    }));
    expect(render(result({ warnings }))).toContain(
      'Warnings\n  ! .claude/skills/a\n  ! .claude/skills/c\n    Not followed.\n  ! .claude/skills/b\n    Elsewhere.\n',
    );
  });

  it('puts the reason below the name on a narrow page', () => {
    expect(
      render(result({ files: rich.files.slice(1, 4), usage: rich.usage }), { columns: 50 }),
    ).toMatchInlineSnapshot(`
      "/home/me/shop
      4 of 3 files active, 42,553 tokens, 2.0 KiB

      Mounted directory                           tokens
        ● formatting                               1,234
            always · priority 10
        ○ deploy                                   1,234
            waits for a mention
        ○ tests                                    1,234
            waits for *.spec.ts; no file in play
            matches
      "
    `);
  });

  it('is never wider than asked, from 40 columns on', () => {
    const long = result({
      ...rich,
      files: [...rich.files, file(`a/${'very-long-'.repeat(30)}name`), file('名前'.repeat(40))],
      excluded: [{ path: `${mounted}/${'deep/'.repeat(40)}x.png`, reason: { code: 'unsupported_type' } }],
      warnings: [
        { code: 'unreadable', message: 'word '.repeat(60), path: `${mounted}/${'deep/'.repeat(40)}x.md`, line: 12 },
      ],
    });
    for (const columns of [40, 50, 71, 72, 80, 110, 200]) {
      for (const line of render(long, { columns }).split('\n')) {
        expect(textWidth(line), line).toBeLessThanOrEqual(Math.min(110, columns));
      }
    }
  });

  it('S-84 lets no escape sequence, line break or reversed text of a file reach the terminal', () => {
    const evil = '\u001b]0;title\u0007\u202e\n\u009b31m';
    const page = render(
      result({
        mountedDirectory: `/home/me/${evil}`,
        files: [file(evil, { owner: `/x/${evil}`, globs: [evil], reason: { code: 'no_glob_matched', detail: evil } })],
        excluded: [{ path: `/x/${evil}`, reason: { code: evil as ReasonCode, detail: evil } }],
        config: {
          clientContext: { ...rich.config.clientContext, includeFiles: [evil], excludeFiles: [evil] },
          mcpServers: { [evil]: { command: evil, args: [evil], definedIn: `/x/${evil}`, scope: 'static' } },
        },
        configSources: [{ path: `/x/${evil}`, scope: 'static' }],
        warnings: [
          { code: evil as WarningCode, message: evil },
          { code: 'unreadable', message: evil, path: `/x/${evil}` },
        ],
      }),
    );
    expect(page.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(page).toContain(String.raw`\u{202e}`);
  });

  it('colours only when asked, and colours change no letter', () => {
    const colored = render(rich, { colors: true });
    expect(colored).toContain('\u001b[32m●');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
    expect(colored.replaceAll(/\u001b\[\d+m/gu, '')).toBe(render(rich));
    expect(render(rich)).not.toContain('\u001b');
  });

  it('says so when nothing applies', () => {
    expect(render(result())).toBe(`${mounted}\nNo context files apply.\n`);
  });

  it('says what did not fit the budget, what could not be searched, and stops listing where nobody reads on', () => {
    const first = file('first', {
      state: 'available',
      reason: { code: 'over_budget', detail: 'the budget is 9 tokens' },
    });
    const excluded = Array.from({ length: 40 }, (_, index) => ({
      path: `${mounted}/${index}.png`,
      reason: { code: 'binary' as const },
    }));
    const semantic = { status: 'unavailable', engine: 'none', detail: 'No model.' } as const;
    const page = render(result({ files: [first], excluded, semantic }));
    expect(page).toContain('does not fit: the budget is 9 tokens');
    expect(page).toContain('\nNo model.\n');
    expect(page.match(/binary/gu)).toHaveLength(25);
    expect(page).toContain('and 15 more; --json shows all');
  });

  it('does not list a configuration file as left out when it was read', () => {
    const path = `${mounted}/.context/context-config.json`;
    const excluded = [{ path, reason: { code: 'excluded_by_config' as const, detail: 'reserved for configuration' } }];
    expect(render(result({ excluded, configSources: [{ path, scope: 'static' }] }))).not.toContain('Left out');
    expect(render(result({ excluded }))).toContain('excluded: reserved for configuration');
  });

  it('shortens paths below the mounted directory and the home directory, and nothing when "/" is mounted', () => {
    const excluded = [{ path: '/home/me/x.md', reason: { code: 'symlink' as const, detail: 'to /etc/x' } }];
    expect(render(result({ excluded }))).toContain('~/x.md');
    expect(render(result({ excluded, mountedDirectory: '/' }))).toContain('to /etc/x');
  });
});
