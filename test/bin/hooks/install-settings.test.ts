/** What is said beside the settings of a tool (docs/hooks.md). */
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/bin/hooks/claude-code.ts';
import { codex } from '../../../src/bin/hooks/codex.ts';
import { copilotCli } from '../../../src/bin/hooks/copilot-cli.ts';
import { cursor } from '../../../src/bin/hooks/cursor.ts';
import { geminiCli } from '../../../src/bin/hooks/gemini-cli.ts';
import { installSettings } from '../../../src/bin/hooks/install-settings.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const surroundings = { cwd: '/nowhere', home: '/nowhere', environment: { PATH: '/nowhere' } };
const notesOf = (tool: typeof cursor) => installSettings(tool, { directory: '.', write: false, surroundings });

describe('hook install', () => {
  it('says of a tool whose settings fail closed what it refuses where contextd cannot be started', () => {
    expect(JSON.stringify(cursor.settings.entries)).toContain('"failClosed":true');
    for (const [tool, what] of [
      [cursor, 'prompts, and what it is about to do with a file'],
      [copilotCli, 'what it is about to do with a file'],
    ] as const) {
      const notes = notesOf(tool);
      expect(notes).toContain(
        `"contextd" is not on your PATH, so ${tool.name} would not find it and would refuse ${what}.`,
      );
      expect(notes).toContain(`\n${tool.name} refuses ${what}, where contextd cannot be started.\n`);
      expect(notes).not.toMatch(/continues|refuse nothing/u);
    }
  });

  it('says of a tool that goes on that nothing is refused then', () => {
    for (const tool of [claudeCode, codex, geminiCli]) {
      const notes = notesOf(tool);
      expect(notes).toContain(
        `"contextd" is not on your PATH, so ${tool.name} would not find it and would refuse nothing.`,
      );
      expect(notes).toContain(`  - what happens where contextd cannot be started: ${tool.name} continues\n`);
    }
  });

  it('says of a tool that runs no new hook by itself what the user has to do', () => {
    expect(notesOf(codex)).toContain(
      '\nCodex runs these hooks only after you trusted the project and them: /hooks in Codex.\n',
    );
    expect(notesOf(claudeCode)).not.toContain('trusted');
  });

  it('S-37 follows no link out of the project, at any level of the path', () => {
    const place = temporaryDirectory();
    const [outside, project] = [join(place, 'outside'), join(place, 'project')];
    for (const directory of [outside, project]) mkdirSync(directory);
    symlinkSync(outside, join(project, '.github'));
    const install = () =>
      installSettings(copilotCli, { directory: '.', write: true, surroundings: { ...surroundings, cwd: project } });
    expect(install).toThrow('a link leads out of the project');
    expect(readdirSync(outside)).toEqual([]);
    rmSync(join(project, '.github'));
    mkdirSync(join(project, 'own'));
    symlinkSync('own', join(project, '.github'));
    expect(install()).toMatch(/^Written to /u);
  });
});
