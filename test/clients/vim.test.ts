import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientsDirectory, createPlace, driversDirectory, type Place } from './client-program.ts';

const version = spawnSync('vim', ['--version'], { encoding: 'utf8' }).stdout ?? '';
const isUsable =
  /^VIM - Vi IMproved (?:9|\d\d)/u.test(version) &&
  ['+job', '+channel', '+timers'].every((each) => version.includes(each));

if (!isUsable) describe.skip('the Vim client', () => it('needs Vim 9 with jobs, which is not installed'));

describe.runIf(isUsable)('the Vim client', () => {
  let place: Place;
  beforeEach(() => {
    place = createPlace();
  });
  afterEach(() => place.remove());

  /** Runs the lines in Vim, with the plugin loaded and a file of the project open; what was told about mistakes in the plugin. */
  async function inVim(lines: readonly string[]): Promise<{ code: unknown; complaints: string }> {
    const [script, output] = [join(place.home, 'script.vim'), join(place.home, 'output')];
    const sources = [join(clientsDirectory, 'vim/plugin/contextd.vim'), join(driversDirectory, 'driver.vim')];
    const begin = ['set hidden', ...sources.map((path) => `source ${path}`), 'edit cart.py'];
    const end = ["call writefile([v:errmsg, matchstr(Messages(), 'Error detected.*')], $OUTPUT, 'a')", 'qall!'];
    writeFileSync(script, [...begin, ...lines, ...end].join('\n'));
    const vim = spawn('vim', ['-Nu', 'NONE', '-i', 'NONE', '-n', '-es', '-S', script], {
      cwd: place.project,
      env: { ...place.env, OUTPUT: output },
      stdio: 'ignore',
    });
    const [code] = await once(vim, 'exit');
    return { code, complaints: existsSync(output) ? readFileSync(output, 'utf8').trim() : 'nothing was told' };
  }
  const fine = { code: 0, complaints: '' };

  it('AN-08 starts the daemon where none runs, is refused what nobody granted, and shows what applies with unsaved text', async () => {
    const ran = await inVim([
      'ContextdContext',
      // The detail is said once.
      "call UntilTold('contextd roots grant.* /mountedDirectory$')",
      'ContextdContext!',
      "call UntilShown('Prices are in cents')",
      'edit AGENTS.md',
      "call setline(1, 'Prices are in öre, ' .. repeat('x', 100000) .. ' END')",
      'buffer cart.py',
      'ContextdContext how are prices rounded?',
      "call UntilShown('Prices are in öre')",
      "let g:contextd_fields = {'dokuments': []}",
      'ContextdContext',
      "call UntilTold('/dokuments')",
      'unlet g:contextd_fields',
      "call mkdir('.context')",
      "call writefile(['---', 'globs: [src', '---', 'Broken.'], '.context/broken.md')",
      'ContextdContext',
      "call UntilTold('broken.md: The front matter is not used')",
      // What another plugin shows has no directory to begin in.
      'file scp://host/dir/file.txt',
      "call setbufline(bufnr('contextd]'), 1, 'old')",
      'ContextdContext',
      "call UntilShown('Rule: AGENTS')",
    ]);
    expect(ran).toEqual(fine);
  });

  it('S-20 AN-08 opens no file of a project that has the name of its window', async () => {
    writeFileSync(join(place.project, '[contextd]'), 'Not asked for.\n vim: set tabstop=17 :\n');
    const ran = await inVim([
      'set modeline modelines=5',
      'ContextdContext!',
      "call UntilShown('Prices are in cents')",
      "call writefile(['tabstop ' .. getbufvar(bufnr('contextd]'), '&tabstop')], $OUTPUT, 'a')",
    ]);
    expect(ran).toEqual({ code: 0, complaints: 'tabstop 8' });
  });

  it('AN-08 follows changes, also behind a restart of the daemon, until the window is closed', async () => {
    const change = (text: string) => [`call writefile(['${text}'], 'AGENTS.md')`, `call UntilShown('${text}')`];
    const ran = await inVim([
      'ContextdContext!',
      "call UntilShown('Prices are in cents')",
      'sleep 1',
      ...change('Prices are in dollars'),
      'call KillDaemon()',
      ...change('Prices are in euros'),
      ...change('Prices are in francs'),
      'only',
      "call writefile(['Prices are in guilders'], 'AGENTS.md')",
      'sleep 2',
      "call Wait('the end of the stream', {-> empty(filter(job_info(), {_, job -> job_status(job) ==# 'run'}))})",
      "call Wait('a window that stays closed', {-> bufwinid('contextd]') < 0})",
    ]);
    expect(ran).toEqual(fine);
  });

  it('AN-08 asks again once the daemon was killed, and says where there is none', async () => {
    const ran = await inVim([
      'ContextdContext!',
      "call UntilShown('Prices are in cents')",
      'call KillDaemon()',
      "call setbufline(bufnr('contextd]'), 1, 'old')",
      'ContextdContext',
      "call UntilShown('Rule: AGENTS')",
      "let $CONTEXTD_URL = 'http://127.0.0.1:1'",
      "let $CONTEXTD_TOKEN = 'x'",
      'ContextdContext',
      "call UntilTold('no daemon runs')",
      "let $PATH = '/nowhere'",
      'ContextdContext',
      "call UntilTold('not on the path')",
    ]);
    expect(ran).toEqual(fine);
  });
});
