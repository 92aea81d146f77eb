/**
 * Builds docker/Dockerfile without Docker, and runs what it builds, as the superuser on Linux:
 *   debootstrap --variant=minbase --include=ca-certificates bookworm <base>    and in /usr/local node with its LICENSE, npm, a user "node"
 *   node test/docker/run-steps.ts <base> [<directory for the stages>]
 * Each stage is a copy of <base>; its steps run in order, in namespaces of their own, on the files of HEAD. Then the image
 * runs as compose.yaml says: read-only, without capabilities, without a network but its loopback.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { commandOf, type Instruction, parseDockerfile, stagesOf } from './dockerfile.ts';

const [base, place = mkdtempSync(join(tmpdir(), 'contextd-'))] = process.argv.slice(2);
if (base === undefined) throw new Error('Name the directory of the base image.');
const repository = join(import.meta.dirname, '../..');

type Root = { path: string; workingDirectory: string; user: string; environment: Record<string, string> };

/** What a build passes on of the machine: how it reaches the registry. */
const passedOn = Object.entries(process.env).filter(([name]) =>
  /^(?:https?_proxy|no_proxy|node_extra_ca_certs)$/iu.test(name),
);

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** A line of the shell that runs a command inside, as its user; `privileges` of the superuser are kept while building. */
function inside(root: Root, command: readonly string[], { privileges }: { privileges: boolean }): string {
  const home = root.user === 'root' ? '/root' : '/home/node';
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const environment = {
    PATH: path,
    HOME: home,
    ...(privileges ? Object.fromEntries(passedOn) : {}),
    ...root.environment,
  };
  // The image may have neither a shell nor any other program: all of this is done from outside.
  const [user = root.user, group = user] = root.user.split(':');
  const words = [
    ...['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)],
    ...(privileges ? [] : ['setpriv', '--no-new-privs', '--bounding-set=-all,+sys_chroot,+setuid,+setgid']),
    ...['unshare', `--root=${root.path}`, `--wd=${root.workingDirectory}`],
    ...(user === 'root' ? [] : [`--setgid=${group}`, `--setuid=${user}`]),
    ...command,
  ];
  return words.map(quoted).join(' ');
}

function runScript(root: Root, script: string, options: readonly string[] = []): void {
  const mounts = `mount --rbind /dev ${quoted(`${root.path}/dev`)} && mount -t proc proc ${quoted(`${root.path}/proc`)}`;
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', ...options, 'sh', '-ec', `${mounts}\n${script}`];
  const { status } = spawnSync('unshare', unshare, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`the step failed (${status})`);
}

/** The files of HEAD without those that .dockerignore names. */
function makeBuildContext(): string {
  const directory = join(place, 'build-context');
  mkdirSync(directory, { recursive: true });
  const archive = execFileSync('git', ['-C', repository, 'archive', 'HEAD'], { maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  const ignored = readFileSync(join(directory, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  for (const name of ignored) rmSync(join(directory, name), { recursive: true, force: true });
  return directory;
}

function copy(root: Root, { flags, rest }: Instruction, from: string): void {
  const words = rest.split(/\s+/u);
  const target = resolve(root.workingDirectory, words.at(-1) as string);
  for (const source of words.slice(0, -1)) {
    const path = join(from, source);
    const isDirectory = statSync(path).isDirectory();
    const into = isDirectory || !rest.endsWith('/') ? target : join(target, basename(source));
    cpSync(path, join(root.path, into), { recursive: true, verbatimSymlinks: true });
  }
  if (flags.chown !== undefined) for (const source of words.slice(0, -1)) own(root, join(from, source), flags.chown);
}

/** Everything that came from `from` belongs to `owner`, inside. */
function own(root: Root, from: string, owner: string): void {
  for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    const [user = 0, group = 0] = owner.split(':').map(Number);
    chownSync(join(root.path, path), user, group);
  }
}

function main(baseDirectory: string): void {
  const instructions = parseDockerfile(readFileSync(join(repository, 'docker/Dockerfile'), 'utf8'));
  const context = makeBuildContext();
  const roots = new Map<string, Root>();
  let root: Root | undefined;
  let image: Record<string, string> = {};
  for (const [index, stage] of stagesOf(instructions).entries()) {
    const path = join(place, `stage-${index}`);
    if (stage.image !== 'scratch') execFileSync('cp', ['-a', '--reflink=auto', baseDirectory, path]);
    // What an engine mounts into every container.
    for (const name of ['dev', 'proc', 'tmp']) mkdirSync(join(path, name), { recursive: true });
    root = { path, workingDirectory: '/', user: 'root', environment: {} };
    if (stage.name !== undefined) roots.set(stage.name, root);
    image = {};
    for (const instruction of stage.instructions) {
      const { name, flags, rest } = instruction;
      const startedAt = performance.now();
      if (name === 'WORKDIR') {
        root.workingDirectory = resolve(root.workingDirectory, rest);
        mkdirSync(join(path, root.workingDirectory), { recursive: true });
      } else if (name === 'ENV') {
        for (const pair of rest.split(/\s+/u)) {
          const [key = '', value = ''] = pair.split('=', 2);
          root.environment[key] = value;
        }
      } else if (name === 'USER') root.user = rest;
      else if (name === 'COPY')
        copy(root, instruction, flags.from === undefined ? context : (roots.get(flags.from)?.path ?? ''));
      else if (name === 'RUN') runScript(root, inside(root, commandOf(rest), { privileges: true }));
      else image[name] = rest;
      console.log(`stage ${index}: ${name} ${rest.slice(0, 90)}  (${Math.round(performance.now() - startedAt)} ms)`);
    }
  }
  if (root === undefined) throw new Error('there is no stage');
  runImage(root, image);
}

function runImage(root: Root, image: Record<string, string>): void {
  const health = (image.HEALTHCHECK ?? '').replace(/^.*?CMD\s+/u, '');
  const as = (command: readonly string[]) => inside(root, command, { privileges: false });
  const entry = commandOf(image.ENTRYPOINT ?? '[]');
  const state = join(root.path, image.VOLUME ?? '');
  const page =
    "Promise.all(['/', '/openapi.json', '/v1/status'].map(async (path) => [path, (await fetch('http://127.0.0.1:4747' + path)).status])).then(console.log)";
  const script = `
ip link set lo up
mount --bind ${quoted(root.path)} ${quoted(root.path)}
mount --rbind /dev ${quoted(`${root.path}/dev`)}
mount -t proc proc ${quoted(`${root.path}/proc`)}
mount -t tmpfs tmpfs ${quoted(`${root.path}/tmp`)}
mount -t tmpfs -o mode=0700,uid=1000,gid=1000 tmpfs ${quoted(state)}
mount -o remount,bind,ro ${quoted(root.path)}
${as([...entry, ...commandOf(image.CMD ?? '[]')])} &
daemon=$!
for n in $(seq 50); do if ${as(commandOf(health))}; then break; fi; sleep 0.2; done
${as(commandOf(health))}
echo "healthy after $n tries"
${as([entry[0] ?? '', '-e', page])}
${as([...entry, 'status'])}
${as([...entry, 'export', '-'])} | head -c 200
kill -TERM $daemon
wait $daemon
echo "it ended with $?"
if ${as(commandOf(health))}; then echo 'healthy without a daemon'; exit 1; fi
`;
  runScript(root, script, ['--net']);
}

main(base);
console.log(`The stages are in ${place}.`);
