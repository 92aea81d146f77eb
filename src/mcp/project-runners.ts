/** Programs that run what the project around them says, though no argument names a file of it (S-18, S-25). */
import { baseName, joinPath, parentPath } from '../paths.ts';

/** They look in `node_modules` for what they are told to run, before they fetch it. */
const scriptRunners = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack)$/u;

const runners: readonly (readonly [programs: RegExp, files: readonly string[]])[] = [
  [
    scriptRunners,
    ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'bunfig.toml'],
  ],
  [/^deno$/u, ['deno.json', 'deno.jsonc', 'package.json']],
  [/^(?:uv|uvx|pipx|poetry|pdm|hatch)$/u, ['pyproject.toml', 'uv.toml', 'poetry.toml', 'pdm.toml', 'hatch.toml']],
  [/^g?make$/u, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^just$/u, ['justfile', 'Justfile', '.justfile']],
  [/^task$/u, ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml']],
  [/^(?:rake|bundle)$/u, ['Rakefile', 'rakefile', 'Rakefile.rb', 'Gemfile']],
  [/^cargo$/u, ['Cargo.toml', 'build.rs', '.cargo/config.toml', '.cargo/config']],
  [/^go$/u, ['go.mod', 'go.work']],
  [
    /^(?:docker|docker-compose|podman|podman-compose)$/u,
    ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml', 'Dockerfile', 'Containerfile'],
  ],
];
const mostAncestors = 32;

export function isProjectRunner(program: string): boolean {
  return runners.some(([programs]) => programs.test(baseName(program)));
}

/** Absolute paths at which runners among `names` find what they run, in `cwd` and above; they need not exist. */
export function placesOfRunners(names: readonly string[], cwd: string): string[] {
  const programs = names.map(baseName);
  const files = runners.flatMap(([pattern, found]) => (programs.some((each) => pattern.test(each)) ? found : []));
  if (programs.some((each) => scriptRunners.test(each)))
    for (const name of names) {
      // `@scope/name@1.2`: what stands behind the second @ is the version.
      const bare = name.indexOf('@', 1) > 0 ? name.slice(0, name.indexOf('@', 1)) : name;
      if (/^(?:@[\w.-]+\/)?[\w.-]+$/u.test(bare) && !bare.startsWith('-'))
        files.push(`node_modules/.bin/${bare}`, `node_modules/${bare}`);
    }
  const places: string[] = [];
  for (let [directory, left] = [cwd, mostAncestors]; files.length > 0 && left > 0; left -= 1) {
    places.push(...files.map((file) => joinPath(directory, file)));
    if (parentPath(directory) === directory) break;
    directory = parentPath(directory);
  }
  return places;
}
