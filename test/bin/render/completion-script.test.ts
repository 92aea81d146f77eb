import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/bin/program.ts';
import { completionScript, shells } from '../../../src/bin/render/completion-script.ts';

/** What bash offers after these words, the last of which is being typed. */
async function offeredByBash(...words: string[]): Promise<string[]> {
  const script = `${completionScript(await createProgram(), 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _contextd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, status, stderr } = spawnSync('bash', ['-c', script, 'bash', 'contextd', ...words], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter(Boolean);
}

describe('completion', () => {
  it('SY-04 completes commands, subcommands, options and their choices in bash', async () => {
    expect(await offeredByBash('re')).toEqual(['resolve', 'retrieve', 'request']);
    expect(await offeredByBash('roots', '')).toEqual(['list', 'grant', 'revoke', '--help']);
    expect(await offeredByBash('resolve', '--s')).toEqual(['--scope', '--state-dir']);
    expect(await offeredByBash('resolve', '--file', 'x', '--max')).toEqual(['--max-tokens']);
    expect(await offeredByBash('serve', '--log-level', 'w')).toEqual(['warn']);
    expect(await offeredByBash('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
    expect(await offeredByBash('resolve', 'no-such')).toEqual([]);
  });

  it.each(shells)('SY-04 knows every command in %s', async (shell) => {
    const program = await createProgram();
    const script = completionScript(program, shell);
    for (const command of program.commands) expect(script).toContain(command.name());
    expect(script).toMatch(/exclude|grant-root/u);
  });
});
