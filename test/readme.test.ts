/** README.md and docs/ tell the truth about codes, flags, limits and commands. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProblem } from '../routes/http/problem.ts';
import { createProgram } from '../src/bin/program.ts';
import { errorCodes } from '../src/errors.ts';
import { eventTypes } from '../src/events/event.ts';
import { fixedLimits } from '../src/settings.ts';
import { runContextd } from './support/daemon.ts';
import { temporaryDirectory } from './support/temporary-files.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const pages = readdirSync(new URL('../docs', import.meta.url))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
/** All that users read. */
const readme = ['README.md', ...pages].map(read).join('\n');
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('README.md and docs/', () => {
  it('SY-03 each event has a row', () => {
    for (const type of eventTypes) expect(readme).toContain(`\n| \`${type}\` | `);
  });

  it('README.md is short', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(250);
  });

  it('SY-04 names only commands and options that exist', async () => {
    const program = await createProgram();
    const code = [...readme.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gmu)].map(([, lines]) => lines).join('');
    const lines = [
      ...code.matchAll(/(?:^\$ |^|&& )(?:npm run -s contextd --|contextd) ([a-z].*?)(?=$| && | \| | {2,}#)/gmu),
    ];
    expect(lines.length).toBeGreaterThan(30);
    for (const [line, told = ''] of lines) {
      const words = told.split(' ');
      const command = program.commands.find((each) => each.name() === words[0]);
      expect(command, line).toBeDefined();
      const inner = command?.commands.find((each) => each.name() === words[1]) ?? command;
      if (command?.commands.length && /^[a-z]/u.test(words[1] ?? '')) expect(inner, line).not.toBe(command);
      const known = inner?.options.flatMap(({ long, short }) => [long, short]) ?? [];
      for (const [option] of told.replaceAll(/"[^"]*"|'[^']*'/gu, '').matchAll(/(?<= )--?[a-z][a-z-]*/gu))
        expect(known, line).toContain(option);
    }
  });

  it('README.md links to each page', () => {
    const rows = read('README.md').matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \| .+ \|$/gmu);
    const linked = [...rows].map(([, link = '']) => link);
    expect(linked.toSorted()).toEqual(pages.toSorted());
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

  it('numbers the decisions as they follow each other', () => {
    const numbers = [...read('docs/decisions.md').matchAll(/^(\d+)\. \*\*/gmu)].map(([, number]) => Number(number));
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
    for (const { long, hidden } of serve?.options ?? [])
      if (long !== '--json' && !hidden) expect(flags).toContain(`\`${long}`);
  });

  it('gives the limits that hold', () => {
    expect(fixedLimits.request).toMatchObject({
      fileBytes: 2 ** 20,
      answerBytes: 8 * 2 ** 20,
      contextFiles: 2_000,
      candidateFiles: 10_000,
      candidateBytes: 64 * 2 ** 20,
      depth: 16,
      entries: 50_000,
      walkMs: 2_000,
    });
    expect(readme).toMatch(
      /1 MiB.*10,000 context files, 64 MiB, 16 levels of folders,\s50,000 directory entries and 2 seconds.*2,000 files and 8 MiB/su,
    );
  });
});

describe('the answers that README.md shows', () => {
  const text = read('README.md');
  const block = (language: string, at = 0): string =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gmu'))][at]?.[1] ?? '';
  const home = temporaryDirectory();
  const run = (...args: string[]) => runContextd(args, { env: { HOME: home } });

  it('are those about this repository', async () => {
    type Answer = { mountedDirectory: string; digest?: string; files: { name: string; content?: string }[] };
    const { digest: _, ...shown } = JSON.parse(block('json')) as Answer;
    const root = join(import.meta.dirname, '..');
    const { stdout } = await run('resolve', root, '--file', 'routes/app.ts', '--json');
    const answer = JSON.parse(stdout.replaceAll(root, shown.mountedDirectory)) as Answer;
    const named = answer.files.filter(({ name }) => shown.files.some((file) => file.name === name));
    // Of a text the beginning is shown.
    const files = shown.files.map((file) =>
      file.content === undefined ? file : { ...file, content: expect.stringContaining(file.content.slice(0, -1)) },
    );
    expect({ ...answer, files: named }).toMatchObject({ ...shown, files });
  });

  it('are those of a project with the rule that it writes', async () => {
    const shop = join(home, 'shop');
    const [path = '', rule = ''] =
      /^cat > \/home\/ada\/shop\/(\S+) <<'END'\n([\s\S]*?)^END$/mu.exec(text)?.slice(1) ?? [];
    const words = (output: string) => output.replaceAll(shop, '/home/ada/shop').replaceAll(/ {2,}/gu, '  ').trim();
    const shown = [block('console'), block('console', 1)]
      .join('')
      .split(/^\$ npm run -s contextd -- (.+)\n/gmu)
      .slice(1);
    mkdirSync(shop);
    for (let at = 0; at < shown.length; at += 2) {
      const args = (shown[at] ?? '').replaceAll('/home/ada/shop', shop).split(' ');
      const output = words((await run(...args)).stdout);
      for (const part of words(shown[at + 1] ?? '').split(/^ *…$/gmu)) expect(output).toContain(part.trim());
      mkdirSync(join(shop, '.context'), { recursive: true });
      writeFileSync(join(shop, path), rule);
    }
    expect(shown).toHaveLength(6);
  });
});
