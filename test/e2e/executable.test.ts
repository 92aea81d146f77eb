/** The single executable in a root that has the C library and nothing else. It takes a minute to make: for a release. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeExecutable } from '../../packaging/make-executable.ts';
import { ownPlatform } from '../../packaging/make-packages.ts';
import { answersOf, writeAskedWorkspace } from '../support/answers.ts';
import { sourceEntry } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { isTorture } from '../support/test-size.ts';

const mayRun = isTorture && process.platform === 'linux' && process.getuid?.() === 0 && ownPlatform !== undefined;
/** Nothing removes it after tests that are all skipped. */
const base = mayRun ? temporaryDirectory() : '/nowhere';
const root = join(base, 'root');
const asked = { workspace: join(base, 'workspace'), model: join(base, 'model') };
const libraryOf = (path: string) => join(import.meta.dirname, '../../node_modules', path);
/** Inside, `/tmp` is that of the tests; and /dev; there is no shell, no Node.js and nothing else. */
const mounts =
  'mount --bind /tmp "$0/tmp" && mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" /contextd "$@"';
const inside = ['unshare', '--mount', 'sh', '-ec', mounts, root];

describe.runIf(mayRun)('the single executable', () => {
  let executable: string;
  beforeAll(async () => {
    if (ownPlatform === undefined) return;
    executable = await makeExecutable(join(base, 'made'), ownPlatform);
    for (const name of ['tmp', 'proc', 'dev']) mkdirSync(join(root, name), { recursive: true });
    // What it unpacks asks for a little more than it does itself.
    const native = [
      libraryOf('@oxc-parser/binding-linux-x64-gnu/parser.linux-x64-gnu.node'),
      libraryOf('onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1'),
    ];
    const libraries = `${execFileSync('ldd', [executable, ...native.filter((path) => existsSync(path))])}`.matchAll(
      /(?:=> )?(\/\S+) \(/gu,
    );
    for (const [, path = ''] of libraries) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      copyFileSync(path, join(root, path));
    }
    copyFileSync(executable, join(root, 'contextd'));
    writeAskedWorkspace(asked.workspace, asked.model);
  }, 300_000);

  it('PK-02 is one file of at most 150 MB', () => {
    expect(statSync(executable).size).toBeLessThanOrEqual(150_000_000);
    expect(readdirSync(join(base, 'made'))).toHaveLength(1);
  });

  it('PK-02 answers in an empty root as the clone does', async () => {
    const ofClone = await answersOf([process.execPath, sourceEntry], asked);
    expect(await answersOf(inside, asked)).toEqual(ofClone);
    expect(ofClone.foundBy).toBe('ready');
  }, 120_000);

  it('PK-02 S-79 holds its parser to what a program of Node.js is held to', () => {
    const options = ['--permission', `--allow-fs-read=${base}`].map((option) => JSON.stringify(option)).join(' ');
    const tries = join(base, 'tries.js');
    writeFileSync(
      tries,
      `const { readFileSync, writeFileSync } = require('node:fs');
       const refused = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
       process.send([refused(() => readFileSync('/etc/passwd')), refused(() => writeFileSync('${base}/x', ''))]);
       process.disconnect();`,
    );
    const starts = `const child = require('node:child_process').fork('${tries}', {
      execPath: '${executable}', execArgv: [], env: { NODE_OPTIONS: ${JSON.stringify(options)} } });
      child.on('message', (message) => console.log(JSON.stringify(message)));`;
    writeFileSync(join(base, 'start.cjs'), 'module.exports = (path) => import(path);\n');
    const { stdout } = spawnSync(process.execPath, ['-e', starts]);
    expect(JSON.parse(`${stdout}`)).toEqual(['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
  });

  it('PK-02 says in one line what is wrong where it cannot unpack', () => {
    const { status, stderr } = spawnSync(executable, ['version'], { env: { HOME: '/dev/null' } });
    expect({ status, lines: `${stderr}`.trim().split('\n') }).toEqual({
      status: 78,
      lines: [expect.stringMatching(/^contextd: it cannot be unpacked: /u)],
    });
  });
});
