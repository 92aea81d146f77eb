import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { browserCommand, openBrowser } from '../../../src/bin/client/open-browser.ts';
import { until } from '../../support/daemon.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const url = "http://127.0.0.1:4747/#code=a-_b&dir=%2Fhome%2F$(id)';x";

describe('the program that opens a browser', () => {
  it('is that of the system, and gets the address as one argument', () => {
    const screen = { DISPLAY: ':0' };
    expect(browserCommand(url, { platform: 'linux', environment: screen })).toEqual(['xdg-open', url]);
    expect(browserCommand(url, { platform: 'linux', environment: { WAYLAND_DISPLAY: 'w' } })?.[0]).toBe('xdg-open');
    expect(browserCommand(url, { platform: 'darwin', environment: {} })).toEqual(['open', url]);
  });

  it('is none where there is no screen', () => {
    expect(browserCommand(url, { platform: 'linux', environment: {} })).toBeUndefined();
    expect(browserCommand(url, { platform: 'linux', environment: { DISPLAY: '' } })).toBeUndefined();
  });

  it('is the one of BROWSER, where that is a program alone', () => {
    const chosen = (BROWSER: string) => browserCommand(url, { platform: 'linux', environment: { BROWSER } })?.[0];
    expect(chosen('firefox')).toBe('firefox');
    expect(chosen('/opt/b:firefox')).toBe('/opt/b');
    for (const other of ['', ':firefox', 'firefox %s', 'firefox --new-window', 'sh%s'])
      expect(chosen(other)).toBeUndefined();
  });
});

describe('openBrowser', () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });

  function program(script: string): string {
    const path = join(directory, 'browser');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const open = (BROWSER: string) =>
    openBrowser(url, { platform: 'linux', environment: { PATH: process.env.PATH, BROWSER } });

  it('starts it without a shell', async () => {
    const file = join(directory, 'arguments');
    expect(await open(program(`printf '%s\\n' "$#" "$1" > '${file}'`))).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(`1\n${url}\n`);
  });

  it('S-88 keeps secrets of contextd from it', async () => {
    const file = join(directory, 'environment');
    const environment = {
      PATH: process.env.PATH,
      OWN: 'mine',
      CONTEXTD_EMBEDDER_KEY: 'canary-1',
      CONTEXTD_TOKEN: 'canary-2',
      BROWSER: program(`env > '${file}'`),
    };
    expect(await openBrowser(url, { platform: 'linux', environment })).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('OWN=mine');
    expect(readFileSync(file, 'utf8')).not.toContain('canary-');
  });

  it('leaves one alone that stays', async () => {
    const [started, end] = [join(directory, 'started'), join(directory, 'end')];
    const stays = program(`: > '${started}'; while [ ! -e '${end}' ]; do sleep 0.05; done; rm '${end}'`);
    expect(await open(stays)).toBe(true);
    expect(existsSync(started)).toBe(true);
    writeFileSync(end, '');
    await until(() => !existsSync(end));
  });

  it('says when there is none, or when it fails', async () => {
    expect(await open(join(directory, 'missing'))).toBe(false);
    expect(await open(program('exit 3'))).toBe(false);
    expect(await openBrowser(url, { platform: 'linux', environment: {} })).toBe(false);
    expect(await openBrowser(`${url}\0`, { platform: 'linux', environment: { BROWSER: 'true' } })).toBe(false);
  });
});
