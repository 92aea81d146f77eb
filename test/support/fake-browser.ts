/** A program for `BROWSER`: it notes what others can see of it, reads the page it is given, and signs in as a browser does. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was noted at one start. `status` is the answer to its sign-in, and `token` what that gave. */
type BrowserStart = {
  args: string[];
  cmdline: string;
  environ: string;
  /** Where the page leads, with the code. */
  address: string;
  status: number;
  token: string;
};
type FakeBrowser = { program: string; starts(): BrowserStart[] };

/**
 * `signsIn: false` reads the page and does nothing with it, as a browser that cannot. `seenIn` is a file of
 * `seen-processes.ts`: the browser lasts until its arguments are there.
 */
export function createFakeBrowser(
  directory: string,
  { signsIn = true, seenIn }: { signsIn?: boolean; seenIn?: string } = {},
): FakeBrowser {
  mkdirSync(directory, { recursive: true });
  const [program, notes] = [join(directory, 'browser'), join(directory, 'browser-starts')];
  writeFileSync(
    program,
    `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { fileURLToPath } = require('node:url');
const { request } = require('node:http');
const self = (name) => { try { return readFileSync('/proc/self/' + name, 'utf8'); } catch { return ''; } };
const args = process.argv.slice(2);
const page = readFileSync(fileURLToPath(args[0]), 'utf8');
const address = /content="0;url=([^"]+)"/.exec(page)[1].replaceAll('&amp;', '&');
const note = (more) => appendFileSync(${JSON.stringify(notes)},
  JSON.stringify({ args, cmdline: self('cmdline'), environ: self('environ'), address, ...more }) + '\\n');
const seenIn = ${JSON.stringify(seenIn ?? null)};
while (seenIn && !readFileSync(seenIn, 'utf8').includes(args[0]))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
if (${signsIn}) {
  const { host, hash, port } = new URL(address);
  const headers = { host, origin: 'http://' + host, 'content-type': 'application/json' };
  request({ host: '127.0.0.1', port, path: '/v1/console/sessions', method: 'POST', headers }, (answer) => {
    let text = '';
    answer.on('data', (data) => (text += data)).on('end', () =>
      note({ status: answer.statusCode, token: JSON.parse(text).token }));
  }).end(JSON.stringify({ code: new URLSearchParams(hash.slice(1)).get('code') }));
} else note({ status: 0, token: '' });
`,
  );
  chmodSync(program, 0o755);
  const starts = () =>
    (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as BrowserStart);
  return { program, starts };
}
