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

  it('has every command for what is none: an option, a mistake, nothing', async () => {
    const all = await namesOf();
    expect(all).toEqual(expect.arrayContaining(['serve', 'check', 'mcp', 'openapi']));
    for (const word of ['--help', 'chekc', 'constructor', '']) expect(await namesOf(word)).toEqual(all);
  });
});
