import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionScript, shells } from '../../src/bin/completion.ts';
import { createProgram } from '../../src/bin/program.ts';

/** What bash offers after these words, the last of which is being typed. */
function offeredByBash(...words: string[]): string[] {
  const script = `${completionScript(createProgram(), 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _contextd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, status, stderr } = spawnSync('bash', ['-c', script, 'bash', 'contextd', ...words], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter(Boolean);
}

describe('completion', () => {
  it('SY-04 completes commands, subcommands, options and their choices in bash', () => {
    expect(offeredByBash('re')).toEqual(['resolve', 'retrieve', 'request']);
    expect(offeredByBash('roots', '')).toEqual(['list', 'grant', 'revoke', '--help']);
    expect(offeredByBash('resolve', '--s')).toEqual(['--scope', '--state-dir']);
    expect(offeredByBash('resolve', '--file', 'x', '--max')).toEqual(['--max-tokens']);
    expect(offeredByBash('serve', '--log-level', 'w')).toEqual(['warn']);
    expect(offeredByBash('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
    expect(offeredByBash('resolve', 'no-such')).toEqual([]);
  });

  it.each(shells)('SY-04 knows every command in %s', (shell) => {
    const program = createProgram();
    const script = completionScript(program, shell);
    for (const command of program.commands) expect(script).toContain(command.name());
    expect(script).toMatch(/exclude|grant-root/u);
  });
});
