/** Reads `docker run` and `podman run`: the arguments of the image, and what it can see of the machine (S-18). */
import { joinPath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import type { Root } from '../ports/ports.ts';

/** `args`: the arguments of the image. `mounts`: whether it can see granted roots. */
type Container = { args: readonly string[]; mounts: boolean };

const alone = /^(?:-[it]{1,2}|--(?:rm|init|interactive|tty|read-only|privileged=false))$/u;
const withValue =
  /^(?:-e|--env|--name|--network|--net|--pull|--platform|-p|--publish|--add-host|-m|--memory|--cpus|--user|-u|--label|-l|--pids-limit|--cap-drop|--security-opt|--shm-size|--hostname)$/u;
const volume = /^(?:-v|--volume|--mount)$/u;
/** Where images expect data. A mount at another place could replace the image's own program. */
const dataPlaces = /^\/(?:projects?|data|mnt|media|workspaces?|work|repos?|local-directory|files|documents)(?:\/|$)/u;
const image = /^[\w.-]{1,128}(?::\d{1,5})?(?:\/[\w.-]{1,128}){0,8}(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?$/u;

export function readContainer(
  [verb, ...args]: readonly string[],
  { cwd, roots }: { cwd: string; roots: readonly Root[] },
): Container | { why: string } {
  if (verb !== 'run') return { why: 'only "run" of a container program is understood' };
  let mounts = false;
  let at = 0;
  for (; args[at]?.startsWith('-'); at += 1) {
    const arg = args[at] as string;
    if (alone.test(arg)) continue;
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals < 0 ? arg : arg.slice(0, equals);
    const value = equals < 0 ? args[++at] : arg.slice(equals + 1);
    if (withValue.test(name)) continue;
    if (!volume.test(name) || value === undefined) return { why: 'not all options of the container are understood' };
    const mount = name === '--mount' ? mountOf(value) : volumeOf(value);
    if (mount === undefined) return { why: 'not all mounts of the container are understood' };
    const { source } = mount;
    const target = joinPath('/', mount.target);
    // A bare name is a volume of the container engine.
    if (!/[/.~$]/u.test(source)) continue;
    const isOurs = !source.startsWith('/') || isInRoots(joinPath(cwd, source), roots);
    const isAbove = source.startsWith('/') && roots.some((root) => isInRoots(root.realPath, [asRoot(source)]));
    if (!isOurs && !isAbove) continue;
    if (!dataPlaces.test(target)) return { why: 'a granted directory is mounted where the image may have its program' };
    mounts = true;
  }
  if (!image.test(args[at] ?? '')) return { why: 'it is not an image that the container is made of' };
  return { args: args.slice(at + 1), mounts };
}

function volumeOf(value: string): { source: string; target: string } {
  const [source = '', target = ''] = value.split(':', 3);
  return { source, target };
}

/** The fields by each of their names. */
const mountFields = new Map([
  ...['type', 'readonly', 'ro'].map((name) => [name, name] as const),
  ...['source', 'src'].map((name) => [name, 'source'] as const),
  ...['target', 'dst', 'destination'].map((name) => [name, 'target'] as const),
]);

/** Undefined if the mount has anything but plain fields, each once: quotes could contain anything. */
function mountOf(value: string): { source: string; target: string } | undefined {
  const fields = new Map<string, string>();
  for (const field of value.split(',', 32)) {
    const [name = '', text = ''] = field.split('=', 2);
    const known = mountFields.get(name);
    if (known === undefined || fields.has(known) || /["\\]|=.*=/u.test(field)) return undefined;
    fields.set(known, text);
  }
  const [source = '', target = ''] = [fields.get('source'), fields.get('target')];
  const isBound = fields.get('type') === 'bind';
  return target === '' || (isBound && source === '') ? undefined : { source, target };
}

function asRoot(path: string): Root {
  const place = joinPath('/', path);
  return { path: place, realPath: place };
}
