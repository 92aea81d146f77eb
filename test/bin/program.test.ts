import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/bin/program.ts';

describe('the program', () => {
  const namesOf = async (only?: string) => (await createProgram(only)).commands.map((command) => command.name());

  it('builds only the command that is to run', async () => {
    expect(await namesOf('check')).toEqual(['check']);
    const [sessions] = (await createProgram('sessions')).commands;
    expect(sessions?.commands.map((command) => command.name())).toEqual(
      expect.arrayContaining(['create', 'context', 'reply']),
    );
  });

  it('builds each command alone as it is among all', async () => {
    const helpOf = (command: Command): string[] => [command.helpInformation(), ...command.commands.flatMap(helpOf)];
    for (const command of (await createProgram()).commands) {
      const alone = (await createProgram(command.name())).commands;
      expect(alone.map((each) => [each.name(), ...each.aliases()])).toEqual([[command.name()]]);
      expect(alone.flatMap(helpOf)).toEqual(helpOf(command));
    }
  });

  it('loads nothing of the other commands', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { createProgram } = await import(${JSON.stringify(new URL('../../src/bin/program.ts', import.meta.url))});
      await createProgram('check');
      console.log(loaded.filter((url) => /bin.commands.(?!shared)/u.test(url)).join());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.split(',').map((url) => basename(url.trim()))).toEqual(['check.ts']);
  });

  it('has every command for what is none: an option, a mistake, nothing', async () => {
    const all = await namesOf();
    expect(all).toEqual(expect.arrayContaining(['serve', 'check', 'mcp', 'openapi']));
    for (const word of ['--help', 'chekc', 'constructor', '__proto__', 'toString', 'More:', '--', ''])
      expect(await namesOf(word)).toEqual(all);
  });
});
