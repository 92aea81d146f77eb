/** The README tells the truth about codes, flags, limits and commands. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProblem } from '../routes/http/problem.ts';
import { createProgram } from '../src/bin/program.ts';
import { errorCodes } from '../src/errors.ts';
import { eventTypes } from '../src/events/event.ts';
import { defaultLimits } from '../src/settings.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('README', () => {
  it('SY-03 each event has a row', () => {
    for (const type of eventTypes) expect(readme).toContain(`\n| \`${type}\` | `);
  });

  it('each chapter is in the list of what follows, in order', () => {
    const chapters = [...readme.matchAll(/^## (.*)$/gmu)].map(([, title = '']) => title).slice(1);
    const list = readme.match(/\*\*What follows:\*\*\n\n((?:- .*\n)+)/u)?.[1] ?? '';
    const links = [...list.matchAll(/\[([^\]]+)\]\(#([^)]+)\)/gu)];
    expect(links.map(([, title]) => title)).toEqual(chapters);
    for (const [, title = '', link] of links) expect(link).toBe(title.toLowerCase().replaceAll(' ', '-'));
  });

  it('lists exactly the error codes of the code, with status and title', () => {
    const rows = [...readme.matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| (.+) \|$/gmu)].map(([, code, status, title]) => [
      code,
      Number(status),
      title,
    ]);
    const expected = errorCodes.map((code) => {
      const { status, title } = createProblem(code, 'id');
      return [code, status, title];
    });
    expect(rows).toEqual(expected);
  });

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/npm run ([a-z:]+)/gu)].map(([, script]) => script as string);
    expect(named.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });

  it('links to chapters that exist, and to each of them', () => {
    const anchors = [...readme.matchAll(/^## (.+)$/gmu)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-'),
    );
    const linked = [...readme.matchAll(/\]\(#([^)]+)\)/gu)].map(([, anchor]) => anchor as string);
    expect(linked.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    expect(anchors.filter((anchor) => anchor !== 'start' && !linked.includes(anchor))).toEqual([]);
  });

  it('numbers the decisions as they follow each other', () => {
    const numbers = [...readme.matchAll(/^(\d+)\. \*\*/gmu)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  });

  it('SY-04 names every command, every subcommand and every option of the daemon', async () => {
    const chapter = (title: string) => readme.split(/^## /mu).find((text) => text.startsWith(`${title}\n`)) ?? '';
    const program = await createProgram();
    const commands = chapter('Command line')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    for (const command of program.commands) {
      const row = commands.find((line) => new RegExp(`\`${command.name()}[\` ]`, 'u').test(line));
      expect(row, command.name()).toBeDefined();
      for (const subcommand of command.commands) expect(row).toContain(subcommand.name());
    }
    const serve = program.commands.find((command) => command.name() === 'serve');
    const flags = chapter('Configuration');
    for (const { long } of serve?.options ?? []) if (long !== '--json') expect(flags).toContain(`\`${long}`);
  });

  it('gives the limits that hold', () => {
    expect(defaultLimits).toMatchObject({
      fileBytes: 2 ** 20,
      answerBytes: 8 * 2 ** 20,
      contextFiles: 2_000,
      depth: 16,
      entries: 50_000,
      walkMs: 2_000,
    });
    expect(readme).toMatch(
      /1 MiB.*8 MiB, 2,000 context files, 16 levels of folders, 50,000 directory entries and 2 seconds/su,
    );
  });
});
