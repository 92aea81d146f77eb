import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSignInPages } from '../../../src/adapters/files/sign-in-pages.ts';
import { fixedLimits } from '../../../src/settings.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

let base: string;
let directory: string;
beforeEach(() => {
  base = temporaryDirectory();
  directory = join(base, 'sign-in');
});
afterEach(() => vi.useRealTimers());

const address = 'http://x.localhost:4747/#code=';
const modeOf = (path: string): number => statSync(path).mode & 0o777;

it('S-10 only their user can read them, whatever the umask and the directory were', () => {
  const umask = process.umask(0);
  try {
    mkdirSync(directory, { mode: 0o777 });
    const file = createSignInPages(directory).create('a', `${address}a`);
    expect([modeOf(directory), modeOf(file)]).toEqual([0o700, 0o600]);
    expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${address}a"`);
    expect(file).not.toContain('code');
  } finally {
    process.umask(umask);
  }
});

it('S-10 go when their code is used, each for itself, and after 30 seconds', () => {
  vi.useFakeTimers();
  const pages = createSignInPages(directory);
  const [first, second] = [pages.create('a', `${address}a`), pages.create('b', `${address}b`)];
  pages.remove('c');
  pages.remove('a');
  expect([first, second].map(existsSync)).toEqual([false, true]);
  vi.advanceTimersByTime(fixedLimits.signIn.pageMs - 1);
  expect(existsSync(second)).toBe(true);
  vi.advanceTimersByTime(1);
  expect(readdirSync(directory)).toEqual([]);
});

it('S-10 are few, and all go at once at the end', () => {
  const pages = createSignInPages(directory);
  const files = Array.from({ length: fixedLimits.signIn.pages + 2 }, (_, at) => pages.create(`${at}`, address));
  expect(files.map(existsSync)).toEqual([false, false, ...Array(fixedLimits.signIn.pages).fill(true)]);
  pages.removeAll();
  expect(existsSync(directory)).toBe(false);
  pages.removeAll();
  expect(existsSync(pages.create('again', address))).toBe(true);
});

it('S-10 S-08 what an earlier daemon left is removed, and nothing that a link leads to', () => {
  const kept = join(base, 'kept');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), '');
  mkdirSync(directory);
  writeFileSync(join(directory, 'sign-in-old.html'), 'a code');
  symlinkSync(kept, join(directory, 'link'));
  createSignInPages(directory);
  expect(existsSync(directory)).toBe(false);
  expect(existsSync(join(kept, 'file'))).toBe(true);
});

it('S-11 an address is text in them, with no script beside', () => {
  const pages = createSignInPages(directory);
  const textFor = (given: string) => readFileSync(pages.create(given, given), 'utf8');
  const text = textFor(`${address}a&dir=%2F"><script>alert('1')</script>`);
  expect(text).not.toContain('<script');
  expect(text.split('"').length).toBe(textFor(address).split('"').length);
  expect(text).toContain(`content="default-src 'none'"`);
});

it('S-77 says that there is no room, or that it cannot be written, and leaves no half a page', () => {
  const pages = createSignInPages(directory);
  writeFileSync(directory, '');
  expect(() => pages.create('a', address)).toThrow(expect.objectContaining({ code: 'unavailable' }));
  expect(readFileSync(directory, 'utf8')).toBe('');
});
