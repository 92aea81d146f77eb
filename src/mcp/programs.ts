/**
 * Facts about programs: which ones run other programs, which options change nothing, and which files are code (S-18,
 * S-25).
 */
import { baseName, joinPath, parentPath } from '../access/paths.ts';
import { afterLast } from '../texts/after-last.ts';

/** These search programs in `node_modules` before they download them. */
const scriptRunners = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack)$/u;

/**
 * Programs that run what the surrounding project says, even if no argument names it, with the first files that they
 * read.
 */
const runners: readonly (readonly [programs: RegExp, files: readonly string[]])[] = [
  [
    scriptRunners,
    ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'bunfig.toml'],
  ],
  [/^deno$/u, ['deno.json', 'deno.jsonc', 'package.json']],
  [/^(?:uv|uvx|pipx|poetry|pdm|hatch|pipenv|rye|pixi)$/u, ['pyproject.toml', 'uv.toml', 'poetry.toml', 'pdm.toml']],
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
  [/^(?:mcp|fastmcp|mcpo|mcphub|mcp-proxy|supergateway)$/u, ['fastmcp.json', 'pyproject.toml']],
  [/^(?:flask|pytest|py\.test|tox|nox|django-admin|celery|gunicorn|uvicorn|hypercorn|invoke|inv|fab|scons)$/u, []],
  [
    /^(?:nodemon|tsx|ts-node|ts-node-dev|esrun|vite-node|jest|mocha|vitest|gulp|grunt|webpack|eslint|zx|nx|turbo)$/u,
    [],
  ],
  [/^(?:gradle|gradlew|mvn|mvnw|ant|sbt|bazel|bazelisk|jbang|java|kotlin|scala|groovy|clojure|clj|lein)$/u, []],
  [
    /^(?:dotnet|nix|nix-shell|nix-env|guix|mix|iex|elixir|stack|cabal|dune|swift|zig|composer|artisan|dart|flutter)$/u,
    [],
  ],
  [
    /^(?:git|hg|svn|jj|cmake|ninja|meson|direnv|mise|asdf|terraform|vagrant|ansible(?:-playbook)?|pre-commit|hy|R)$/u,
    [],
  ],
];

/** Programs whose arguments are another command, or say which command is run. */
const wrappers =
  /^(?:env|nice|ionice|nohup|timeout|time|setsid|stdbuf|xargs|find|script|expect|watch|parallel|chroot|unshare|nsenter|flatpak|snap|ssh|sudo|doas|su|pkexec|runuser|systemd-run|busybox|toybox|strace|ltrace|gdb|lldb|valgrind|screen|tmux|tee|awk|gawk|mawk|nawk|sed|vi|vim|nvim|emacs|ed|ex|less|more|man|tclsh|wish|socat|nc|ncat|cross-env|cross-env-shell|dotenv|dotenvx|env-cmd|concurrently|npm-run-all|wine|op|doppler|infisical|aws-vault|chamber|direnv|conda|mamba|micromamba|kubectl|helm|nerdctl|lxc|wsl|open|xdg-open)$/u;
export const shells =
  /^(?:ba|da|z|k|c|tc|fi|a|mk|pdk|rba|nu|el|xon|osh|y)?sh$|^nu$|^(?:cmd|powershell|pwsh)(?:\.exe)?$/u;
export const interpreters =
  /^(?:node|nodejs|deno|bun|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua(?:jit)?|osascript|Rscript|julia|guile|racket)$/u;

export function isProjectRunner(program: string): boolean {
  return runners.some(([programs]) => programs.test(program));
}

/**
 * True if a program runs other programs, named in its arguments or found in the project. A word with its name makes a
 * line a command.
 */
export function runsOthers(program: string): boolean {
  return [shells, interpreters, wrappers].some((programs) => programs.test(program)) || isProjectRunner(program);
}

/** Words that rarely appear in a command line except to start a program. */
const commands =
  /^(?:npm|npx|pnpm|pnpx|yarn|bunx|uv|uvx|pipx|poetry|env|make|tsx|ts-node|nodemon|docker|podman|cargo|dotnet|java|sudo|xargs|busybox)$/u;

export function namesCommand(word: string): boolean {
  return shells.test(word) || interpreters.test(word) || commands.test(word);
}

/** `@scope/name@1.2` → `@scope/name`. */
export function withoutVersion(name: string): string {
  const at = name.indexOf('@', 1);
  return at < 0 ? name : name.slice(0, at);
}

/** A program whose name says that it is an MCP server. Any other program may read its directory. */
export function isDedicatedServer(program: string): boolean {
  return /(?:^|[-_.])mcp(?:$|[-_.])/u.test(program);
}

/**
 * How the arguments of an interpreter name its script. `plain`: options that neither name nor load code, alone or with
 * a plain value.
 */
export type Interpreter = Readonly<{
  plain: RegExp;
  /** Extensions that the interpreter adds to a name that is not a file. */
  endings: readonly string[];
  /** Options before `-m` that prevent loading modules from around the script. */
  isolated?: RegExp;
}>;

const nodePlain =
  /^--(?:enable-source-maps|no-warnings|no-deprecation|trace-(?:warnings|deprecation|uncaught)|experimental-strip-types|use-system-ca|disable-warning=\w+|(?:max-old-space|max-semi-space|stack)-size=\d+)$/u;
const known: readonly (readonly [programs: RegExp, Interpreter])[] = [
  [/^(?:node|nodejs)$/u, { plain: nodePlain, endings: ['.js', '.json', '.node', '.ts', '.cts', '.mts'] }],
  [/^(?:python|pypy)[\d.]*$/u, { plain: /^-[uBIPsSEOvbq]{1,8}$/u, endings: [], isolated: /^-\w{0,7}[IP]/u }],
  [/^(?:ruby|perl)$/u, { plain: /^-[wW]$/u, endings: [] }],
];

export function interpreterNamed(program: string): Interpreter | undefined {
  return known.find(([programs]) => programs.test(program))?.[1];
}

/** Extensions of files that an interpreter, a loader or a package manager takes for code. */
const codeEndings = new Set(
  'js cjs mjs jsx ts cts mts tsx py pyc pyw pyz pyx whl egg rb pl pm php phar lua sh bash zsh fish ksh ps1 psm1 cmd bat com exe dll so dylib node wasm jar war class groovy kts scala clj jl R r go rs swift java kt cs fsx csx vb tcl ex exs erl hs ml nim cr dart zig c cc cpp awk sed mk make gradle nix tgz gz'.split(
    ' ',
  ),
);
/** Extensions of settings. Settings can name a command. */
const settingEndings = new Set(
  'json jsonc json5 yaml yml toml ini cfg conf config env xml properties rc plist'.split(' '),
);

/** The kind of a file by its name. Everything that is neither code nor settings is data. */
export function kindOfFile(path: string): 'code' | 'settings' | 'data' {
  const name = baseName(path);
  const ending = afterLast(name, '.');
  if (codeEndings.has(ending)) return 'code';
  return settingEndings.has(ending) || /^\.\w+rc$/u.test(name) ? 'settings' : 'data';
}

const maxAncestors = 32;

/** A directory and those above it, nearest first. */
export function directoriesAbove(directory: string): string[] {
  const found = [directory];
  for (let at = directory; at !== '/' && found.length < maxAncestors; found.push(at)) at = parentPath(at);
  return found;
}

/** Absolute paths, in `cwd` and above, where the runners among `names` find what they run. They need not exist. */
export function placesOfRunners(names: readonly string[], cwd: string): string[] {
  const programs = names.map(baseName);
  const files = runners.flatMap(([pattern, found]) => (programs.some((each) => pattern.test(each)) ? found : []));
  return directoriesAbove(cwd).flatMap((directory) => files.map((file) => joinPath(directory, file)));
}
