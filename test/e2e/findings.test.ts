/** What `explain` and `check` say of a mistake: where it is, how much it costs, and once. Through the real command and daemon. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { runContextd } from '../support/daemon.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

describe('what is said of a mistake', () => {
  let home: string;
  beforeAll(() => {
    home = temporaryDirectory();
  });

  function write(name: string, files: Record<string, string>): string {
    writeTree(join(home, name), files);
    return join(home, name);
  }

  it('CC-35 explain says where a truncated file was cut, and how much of it is left out', async () => {
    const kept = `${'x'.repeat(1023)}\n`.repeat(1024);
    const project = write('cut', { '.context/big.md': `${kept}${'y'.repeat(500)}\n`, '.context/small.md': 'Text.\n' });
    const daemon = await daemonFor(project);
    const { body } = await daemon.request('/v1/context/explain', { body: { mountedDirectory: project } });
    const { candidates } = body as { candidates: { path: string; truncated?: boolean; steps: { rule: string }[] }[] };
    const [big, small] = candidates;
    expect(big).toMatchObject({ path: join(project, '.context/big.md'), truncated: true });
    expect(big?.steps.filter(({ rule }) => rule === 'size')).toEqual([
      {
        rule: 'size',
        outcome: 'truncated',
        detail: 'cut in line 1025, at the limit of 1048576 bytes; the file has 1049077, so 501 are left out',
      },
    ]);
    expect(small).toMatchObject({ path: join(project, '.context/small.md'), truncated: false });
    expect(small?.steps.filter(({ rule }) => rule === 'size')).toEqual([]);
  });

  it('AP-08 S-60 check and resolve point at the bracket or quote that is open, not at the fence below', async () => {
    const project = write('open', {
      '.context/a.md': '---\nname: a\nglobs: [src/**, docs/**\n---\nText.\n',
      '.context/b.md': '---\nname: "b\ntrigger: auto\n---\nText.\n',
      'p/.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["a", "b\nversion: 1\n',
    });
    const { stdout } = await runContextd(['check', project, '--json'], { env: { HOME: home } });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { path: string; line: number; column: number }[] };
    const places = diagnostics.map(({ path, line, column }) => `${path.slice(project.length + 1)}:${line}:${column}`);
    expect(places).toEqual(['.context/a.md:3:8', '.context/b.md:2:7', 'p/.ai-context-policy.yaml:2:16']);
    const daemon = await daemonFor(project);
    const { body } = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project } });
    expect(body).toMatchObject({
      warnings: [
        { code: 'invalid_front_matter', path: join(project, '.context/a.md'), line: 3, column: 8 },
        { code: 'invalid_front_matter', path: join(project, '.context/b.md'), line: 2, column: 7 },
      ],
    });
  });

  it('AP-08 AP-04 check tells one wrong key of a policy once, with what it blocks below it', async () => {
    const project = write('slip', {
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexcludes: [secret/**]\n',
      '.context/a.md': 'Text.\n',
      '.context/b.md': 'Text.\n',
    });
    const check = (...flags: string[]) => runContextd(['check', ...flags], { cwd: project, env: { HOME: home } });
    const { diagnostics } = ValidateResult.strict().parse(JSON.parse((await check('--json')).stdout));
    expect(diagnostics).toMatchObject([
      {
        severity: 'error',
        code: 'misspelled_policy_key',
        path: join(project, '.ai-context-policy.yaml'),
        line: 2,
        column: 1,
        consequences: ['.context/a.md', '.context/b.md'].map((path) => ({
          code: 'blocked_by_policy',
          path: join(project, path),
        })),
      },
    ]);
    expect((await check()).stdout).toBe(`.ai-context-policy.yaml
  ✕ 2:1 This key has no effect; write "exclude". Everything below is blocked until this is fixed.  misspelled_policy_key
     2 │ excludes: [secret/**]
       │ ^
    Because of this, 2 files are not delivered:
      .context/a.md
      .context/b.md

1 error in 1 file.
`);
    const { runs } = JSON.parse((await check('--format', 'sarif')).stdout);
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'misspelled_policy_key',
        relatedLocations: ['.context/a.md', '.context/b.md'].map((uri) => ({
          physicalLocation: { artifactLocation: { uri } },
          message: { text: expect.stringContaining('not delivered') },
        })),
      },
    ]);
    expect(runs[0].results).toHaveLength(1);
    const daemon = await daemonFor(project);
    const { body } = await daemon.request('/v1/config/validate', { body: { mountedDirectory: project } });
    expect(body).toEqual({ valid: false, diagnostics });
  });
});
