/** `includeFiles` with a trigger, and files without an extension (CC-09, CC-12, CC-24). */
import { describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const at = '.context/context-config.json';
const including = (...includeFiles: unknown[]) => JSON.stringify({ clientContext: { includeFiles } });
const resolveIn = async (tree: Record<string, string | Buffer>, files: string[] = []) => {
  const { resolve } = await createWorkspace(tree as Record<string, string>);
  return resolve({ files });
};
const shown = ({ files }: ResolveResult): string[] =>
  files.map(({ relativePath, trigger, state }) => `${relativePath} ${trigger} ${state}`);
const excludedIn = ({ excluded }: ResolveResult): string[] =>
  excluded.map(({ path, reason }) => `${path.slice(project.length + 1)} ${reason.code}`);

describe('an entry of includeFiles with a trigger', () => {
  it('CC-12 the migration example of the specification finds both kinds of files', async () => {
    const tree = {
      [at]: JSON.stringify({ include: ['.myairules', '.myai/rules/*'] }),
      '.myairules': 'Old rules.',
      '.myai/rules/a.md': 'More rules.',
    };
    expect(shown(await resolveIn(tree))).toEqual(['.myai/rules/a.md manual available', '.myairules manual available']);
  });

  it('CC-12 makes files active that cannot say so themselves', async () => {
    const tree = {
      [at]: including(
        { pattern: '.myairules', trigger: 'always' },
        { pattern: 'docs/*.txt', trigger: 'auto', globs: ['*.ts'] },
        { pattern: 'about', trigger: 'agent', description: 'What it is about' },
      ),
      '.myairules': 'Old rules.',
      'docs/a.txt': 'Text.',
      about: 'Text too.',
      'x.ts': '',
    };
    const result = await resolveIn(tree, ['x.ts']);
    expect(result.warnings).toEqual([]);
    expect(shown(result).sort()).toEqual([
      '.myairules always active',
      'about agent available',
      'docs/a.txt auto active',
    ]);
    expect(result.files.find(({ path }) => path.endsWith('about'))?.description).toBe('What it is about');
  });

  it('CC-12 gives way to a trigger that the file writes', async () => {
    const tree = {
      [at]: including({ pattern: 'docs/*.md', trigger: 'always' }),
      'docs/own.md': '---\ntrigger: manual\n---\nText.',
      'docs/about.md': '---\npriority: 3\n---\nOther text.',
    };
    const result = await resolveIn(tree);
    expect(shown(result)).toEqual(['docs/about.md always active', 'docs/own.md manual available']);
    expect(result.files[0]?.priority).toBe(3);
  });

  it('FM-01 a file of another tool takes the trigger of an entry that names it', async () => {
    const tree = {
      [at]: including({ pattern: 'CLAUDE.md', trigger: 'manual' }, { pattern: '*.md', trigger: 'manual' }),
      'CLAUDE.md': 'For Claude.',
      'AGENTS.md': 'For all.',
    };
    expect(shown(await resolveIn(tree))).toEqual(['AGENTS.md always active', 'CLAUDE.md manual available']);
  });

  it('CC-09 that is wrong in a part keeps what is right', async () => {
    const tree = {
      [at]: including(
        { pattern: 'a.md', trigger: 'auto' },
        { pattern: 'b.md', trigger: 'agent' },
        { pattern: 'c.md', trigger: 'often' },
        { trigger: 'always' },
        { pattern: 'd.md', trigger: 'always', when: 1 },
        7,
      ),
      ...Object.fromEntries(['a.md', 'b.md', 'c.md', 'd.md'].map((name) => [name, `Text of ${name}.`])),
    };
    const result = await resolveIn(tree);
    expect(shown(result)).toEqual([
      'a.md manual available',
      'b.md manual available',
      'c.md manual available',
      'd.md always active',
    ]);
    const pointer = '/clientContext/includeFiles';
    expect(result.warnings.map((each) => each.pointer)).toEqual([
      `${pointer}/0`,
      `${pointer}/1`,
      `${pointer}/2/trigger`,
      `${pointer}/3`,
      `${pointer}/4/when`,
      `${pointer}/5`,
    ]);
  });
});

describe('a file without an extension', () => {
  it('CC-24 S-01 is context only where it is named, text, and not sensitive', async () => {
    const tree = {
      [at]: including('.myairules', 'program', '.env', 'id_rsa', '.git/config', 'lib/*', 'a.bin'),
      '.myairules': '---\ntrigger: always\n---\nOld rules.',
      program: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
      '.env': 'KEY=1',
      id_rsa: 'key',
      '.git/config': '[remote]',
      'lib/tool': 'text',
      'a.bin': 'text',
    };
    const result = await resolveIn(tree);
    expect(shown(result)).toEqual(['.myairules always active']);
    expect(result.files[0]?.content).toBe('Old rules.');
    expect(excludedIn(result).sort()).toEqual([
      '.context/context-config.json excluded_by_config',
      '.env sensitive',
      '.git/config sensitive',
      'a.bin unsupported_type',
      'id_rsa sensitive',
      'lib/tool unsupported_type',
      'program binary',
    ]);
  });
});
