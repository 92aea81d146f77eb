import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daemonNodeOptions } from '../../../src/bin/daemon/node-options.ts';
import {
  launchdPlist,
  type ServiceCommand,
  systemdUnit,
  UnfitText,
  windowsTask,
} from '../../../src/bin/daemon/service-files.ts';
import { entryPath, runContextd } from '../../support/daemon.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';
import { sized } from '../../support/test-size.ts';

const base: ServiceCommand = { program: '/usr/bin/node', args: [], searchPath: '/usr/bin', home: '/home/a', user: 'a' };
const seed = 20_261_121;

const nasty = fc.constantFrom(
  '%',
  '%%',
  '%h',
  '$',
  '$$',
  '$HOME',
  '{',
  '}',
  '"',
  "'",
  '\\',
  '\\\\',
  '\\"',
  ' ',
  ';',
  '#',
);
const xmlLike = fc.constantFrom('&', '<', '>', '&amp;', ']]>', '<!--', '-->', 'é', '日本', '😀', '\u2028', '\u200b');
const plain = fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => !/\p{Cc}|[\ufffe\uffff]/u.test(text));
const text = fc.array(fc.oneof(nasty, xmlLike, plain), { maxLength: 8 }).map((parts) => parts.join(''));
const path = text.map((name) => `/${name}`);

/** Reads a word of systemd in double quotes, as systemd.syntax(7) and systemd.unit(5) ("Specifiers") say. */
function readQuoted(line: string, { variables }: { variables: boolean }): { value: string; rest: string } {
  let value = '';
  for (let at = 1; at < line.length; at += 1) {
    const character = line[at] as string;
    if (character === '"') return { value, rest: line.slice(at + 1).trimStart() };
    if ('\\%'.includes(character) || (variables && character === '$')) {
      at += 1;
      const allowed = character === '\\' ? '\\"' : character;
      if (!allowed.includes(line[at] ?? ' ')) throw new Error(`${character}${line[at]} means something else`);
    }
    value += line[at];
  }
  throw new Error('a quote is missing');
}

function readExecStart(unit: string): string[] {
  const [line = '', ...others] = unit.split('\n').filter((each) => each.startsWith('ExecStart='));
  expect(others).toEqual([]);
  const words: string[] = [];
  for (let rest = line.slice('ExecStart='.length); rest !== ''; ) {
    const word = readQuoted(rest, { variables: words.length > 0 });
    words.push(word.value);
    rest = word.rest;
  }
  return words;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const unescapeXml = (escaped: string) => {
  expect(escaped).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#\d+);)/u);
  return escaped.replaceAll(/&(?:#(\d+)|(\w+));/gu, (_, code, name) =>
    code === undefined ? (entities[name] as string) : String.fromCodePoint(Number(code)),
  );
};
const elements = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'gu'))].map((match) => unescapeXml(match[1] as string));

/** Takes a command line apart as Microsoft's C runtime does. */
function splitForWindows(line: string): string[] {
  const words: string[] = [];
  for (let rest = line.trim(); rest !== ''; rest = rest.trimStart()) {
    const [all, quoted] = /^"((?:[^"\\]|\\+(?!["\\])|(?:\\\\)*\\"|(?:\\\\)+(?="))*)"/u.exec(rest) ?? ['', ''];
    if (all === '') throw new Error(`not a word: ${rest}`);
    words.push(
      (quoted as string).replaceAll(/(\\+)("|$)/gu, (_, slashes: string, end) => '\\'.repeat(slashes.length / 2) + end),
    );
    rest = rest.slice(all.length);
  }
  return words;
}

describe('descriptions of a service', () => {
  it('systemd goes on starting a daemon whose PostgreSQL comes up later', () => {
    const alone = systemdUnit({ ...base, args: ['serve', '--store=sqlite'] });
    expect(alone).toMatch(/\nStartLimitBurst=5\n/u);
    const shared = systemdUnit({ ...base, args: ['serve', '--store=postgres://a@db/a'] });
    expect(shared).toMatch(/\nStartLimitIntervalSec=0\n/u);
    for (const unit of [alone, shared]) expect(unit).toMatch(/\nRestartPreventExitStatus=(?!.*69)/u);
  });

  it('SY-06 the unit of the Debian package has the settings of the one that is printed', () => {
    const settings = (unit: string) => unit.split('\n').filter((line) => /^[A-Z[]/u.test(line));
    const printed = systemdUnit({ program: '/usr/bin/contextd', args: ['serve'], home: '/home/a', user: 'a' });
    const packaged = readFileSync('packaging/debian/contextd.service', 'utf8');
    expect(settings(packaged)).toEqual(settings(printed));
  });

  it('SY-06 give systemd every word as it is', () => {
    fc.assert(
      fc.property(path, fc.array(text, { maxLength: 5 }), path, (program, args, searchPath) => {
        const unit = systemdUnit({ ...base, program, args, searchPath });
        expect(readExecStart(unit)).toEqual([program, ...args]);
        const environment = unit.split('\n').find((line) => line.startsWith('Environment=')) as string;
        expect(readQuoted(environment.slice('Environment='.length), { variables: false })).toEqual({
          value: `PATH=${searchPath}`,
          rest: '',
        });
      }),
      { seed, numRuns: sized(2_000, 2_000, 500) },
    );
  });

  it('SY-06 give launchd every word as it is', () => {
    fc.assert(
      fc.property(path, fc.array(text, { maxLength: 5 }), path, (program, args, searchPath) => {
        const plist = launchdPlist({ ...base, program, args, searchPath });
        const [list = ''] = /<array>[\s\S]*<\/array>/u.exec(plist) ?? [];
        expect(elements(list, 'string')).toEqual([program, ...args]);
        expect(elements(plist, 'string')).toContain(searchPath);
      }),
      { seed, numRuns: sized(2_000, 2_000, 500) },
    );
  });

  it('SY-06 give Windows every word as it is, in ASCII, or refuse what it would replace', () => {
    let refused = 0;
    fc.assert(
      fc.property(path, fc.array(text, { maxLength: 5 }), (program, args) => {
        const isReplaced = [program, ...args].some((each) => /%[^%]*%|\$\(/u.test(each));
        let task: string;
        try {
          task = windowsTask({ ...base, program, args });
        } catch (error) {
          expect([error instanceof UnfitText, isReplaced]).toEqual([true, true]);
          refused += 1;
          return;
        }
        expect(isReplaced).toBe(false);
        expect(task).toMatch(/^[\x20-\x7e\n]*$/u);
        expect(splitForWindows(elements(task, 'Command')[0] as string)).toEqual([program]);
        expect(splitForWindows(elements(task, 'Arguments')[0] as string)).toEqual(args);
      }),
      { seed, numRuns: sized(2_000, 2_000, 500) },
    );
    expect(refused).toBeLessThan(1_500);
  });

  it.each([systemdUnit, launchdPlist, windowsTask])('refuse what would add lines, or is no text: %o', (print) => {
    for (const odd of ['a\nExecStartPre=/bin/x', 'a\rb', 'a\0', '\u001b', '\u0085', '\ud800', '\uffff'])
      for (const command of [{ program: `/${odd}` }, { args: [odd] }, { home: odd }, { searchPath: odd }])
        expect(() => print({ ...base, ...command })).toThrow(UnfitText);
  });

  it('have no two hyphens in a comment of XML', () => {
    for (const xml of [launchdPlist(base), windowsTask(base)])
      for (const [, comment = ''] of xml.matchAll(/<!--([\s\S]*?)-->/gu)) expect(comment).not.toContain('--');
  });

  const hasVerifier = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.runIf(hasVerifier)('are without fault for systemd itself', () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'contextd.service');
    const args = [join(directory, 'é "x" %h $HOME \\ ; #'), '--state-dir=/a b'];
    writeFileSync(file, systemdUnit({ ...base, program: process.execPath, args }));
    mkdirSync(join(directory, 'run'), { mode: 0o700 });
    const env = { PATH: process.env.PATH, HOME: directory, XDG_RUNTIME_DIR: join(directory, 'run') };
    const { status, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', file], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('contextd service print', () => {
  it('SY-06 prints a service that starts this contextd with what was chosen', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'my code'));
    const env = {
      HOME: directory,
      CLIENT_CONTEXT_PATH: '.ai',
      CONTEXTD_FOLLOW_SYMLINKS: 'true',
      CONTEXTD_FORMATS: 'none',
      CONTEXTD_PORT: '5001',
      PATH: '/bin:relative::/bin:/usr/bin',
    };
    const print = (...args: string[]) => runContextd(['service', 'print', ...args], { cwd: directory, env });
    const { code, stdout } = await print('--systemd', '--grant-root', 'my code', '--state-dir', 's', '--offline');
    expect(code).toBe(0);
    expect(readExecStart(stdout)).toEqual([
      process.execPath,
      ...daemonNodeOptions,
      entryPath,
      'serve',
      '--follow-symlinks',
      '--offline',
      '--port=5001',
      `--state-dir=${directory}/s`,
      '--default-policy=allow',
      '--formats=none',
      '--ignore-files=all',
      '--client-context-path=.ai',
      `--grant-root=${directory}/my code`,
    ]);
    expect(stdout).toContain('Environment="PATH=/bin:/usr/bin"');
    expect(stdout).toContain('Environment=MALLOC_TRIM_THRESHOLD_=131072');
    // The words are a command line that runs.
    const [program = '', ...args] = readExecStart(stdout);
    expect(execFileSync(program, [...args, '--help'], { encoding: 'utf8' })).toContain('contextd serve');
    expect((await print('--launchd')).stdout).toContain('<key>ProgramArguments</key>');
    expect((await print('--windows-task')).stdout).toContain('<LogonTrigger>');
    if (process.platform === 'linux') expect((await print()).stdout).toContain('[Service]');
  });

  it('refuses two kinds at once, what makes no sense in a service, and roots and names that are not there', async () => {
    const print = (...args: string[]) => runContextd(['service', 'print', ...args]);
    expect((await print('--systemd', '--launchd')).code).toBe(64);
    expect((await print('--parent-pid', '1')).code).toBe(64);
    expect((await print('--open')).code).toBe(64);
    expect((await print('--grant-root', '/no/such')).code).toBe(78);
    expect((await runContextd(['service'])).code).toBe(64);
    for (const name of ['CONTEXTD_FORMATS', 'CONTEXTD_IGNORE_FILES']) {
      // The daemon would only warn, but the service would not start.
      const printed = await runContextd(['service', 'print'], { env: { [name]: 'no-such' } });
      expect(printed).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('"no-such"') });
    }
  });
});
