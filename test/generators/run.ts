/**
 * Generates clients from the OpenAPI document with what people use for it, compiles them, and runs them against a daemon
 * (AN-06): `npm run generators`. Needs the network, and npm. Go and Kotlin are compiled where their compilers are.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { startDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { goProgram, pythonProgram, typeScriptPrograms } from './programs.ts';

const packages = {
  '@redocly/cli': '2.77.0',
  '@stoplight/spectral-cli': '6.16.3',
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  orval: '8.38.0',
  oazapfts: '7.5.0',
  'swagger-typescript-api': '13.13.0',
  quicktype: '26.0.0',
  typescript: '5.9.3',
};

const repository = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'contextd-generators-'));
const document = join(directory, 'openapi.json');
const programs = join(directory, 'node_modules/.bin');
const path = [programs, join(repository, 'node_modules/.bin'), process.env.PATH].join(delimiter);

type Outcome = { tool: string; what: string; result: 'ok' | 'failed' | 'not here'; why?: string };
const outcomes: Outcome[] = [];

/** Runs a command in `cwd`; what it wrote. */
async function run(command: readonly string[], cwd = directory, env: Record<string, string> = {}): Promise<string> {
  const [program = '', ...args] = command;
  const options = { cwd, env: { ...process.env, PATH: path, ...env }, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)(program, args, options)).stdout;
}

/** One line of the table. Returns whether it went well. */
async function attempt(tool: string, what: string, work: () => Promise<unknown>): Promise<boolean> {
  const failure = await work().then(
    () => undefined,
    (error: Error & { code?: unknown; stdout?: string; stderr?: string }) => error,
  );
  const isMissing = failure?.code === 'ENOENT';
  const why = failure && [failure.stdout, failure.stderr, failure.message].filter(Boolean).join('\n').slice(0, 2_000);
  outcomes.push({ tool, what, result: failure ? (isMissing ? 'not here' : 'failed') : 'ok', ...(why && { why }) });
  return failure === undefined;
}

const typeScript = ['--strict', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions', '--types', 'node'];
typeScript.push('--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--module', 'esnext');
typeScript.push('--moduleResolution', 'bundler');

/** What each writes, as the program beside it imports it. */
const generators: Record<keyof typeof typeScriptPrograms, (folder: string) => readonly string[]> = {
  'openapi-fetch': () => ['openapi-typescript', document, '-o', 'generated.ts'],
  'hey-api': (folder) => {
    const plugins = ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'];
    const settings = { input: document, output: { path: join(folder, 'generated') }, plugins };
    writeFileSync(join(folder, 'hey.config.mjs'), `export default ${JSON.stringify(settings)};`);
    return ['openapi-ts', '-f', 'hey.config.mjs'];
  },
  orval: () => ['orval', '--input', document, '--output', 'generated.ts', '--client', 'fetch'],
  oazapfts: () => ['oazapfts', document, 'generated.ts'],
  'swagger-typescript-api': () => [
    ...['swagger-typescript-api', 'generate', '-p', document, '-o', 'generated', '-n', 'api.ts'],
  ],
};

type Runs = (command: readonly string[], folder: string) => Promise<void>;

async function tryTypeScript(runs: Runs): Promise<void> {
  for (const [tool, program] of Object.entries(typeScriptPrograms)) {
    const folder = join(directory, tool);
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.ts'), program);
    const generate = generators[tool as keyof typeof typeScriptPrograms](folder);
    (await attempt(tool, 'generate', () => run(generate, folder))) &&
      (await attempt(tool, 'compile', () => run([join(programs, 'tsc'), ...typeScript, 'main.ts'], folder))) &&
      (await attempt(tool, 'bundle', () =>
        run(['rolldown', 'main.ts', '--platform', 'node', '-o', 'main.mjs'], folder),
      )) &&
      (await attempt(tool, 'run', () => runs([process.execPath, 'main.mjs'], folder)));
  }
}

async function tryQuicktype(runs: Runs): Promise<void> {
  const generate = (language: string, file: string, more: readonly string[] = []) => {
    const folder = join(directory, `quicktype-${language}`);
    mkdirSync(folder);
    const source = `${document}#/components/schemas/`;
    const command = ['quicktype', '-s', 'schema', source, '-l', language, '-o', file, ...more];
    return { folder, generated: attempt(`quicktype ${language}`, 'generate', () => run(command, folder)) };
  };
  const python = generate('python', 'contextd.py', ['--python-version', '3.7']);
  if (await python.generated) {
    writeFileSync(join(python.folder, 'main.py'), pythonProgram);
    await attempt('quicktype python', 'run', () => runs(['python3', 'main.py'], python.folder));
  }
  const go = generate('go', 'contextd.go', ['--package', 'main']);
  if (await go.generated) {
    writeFileSync(join(go.folder, 'main.go'), goProgram);
    writeFileSync(join(go.folder, 'go.mod'), 'module contextd\n');
    (await attempt('quicktype go', 'compile', () => run(['go', 'build', '-o', 'main', '.'], go.folder))) &&
      (await attempt('quicktype go', 'run', () => runs([join(go.folder, 'main')], go.folder)));
  }
  const kotlin = generate('kotlin', 'Contextd.kt', ['--just-types']);
  if (await kotlin.generated)
    await attempt('quicktype kotlin', 'compile', () =>
      run(['kotlinc', 'Contextd.kt', '-d', 'types.jar'], kotlin.folder),
    );
}

/** A daemon with an agent and its rule; a session of its own for each program. */
async function tryAll(): Promise<void> {
  const project = temporaryDirectory();
  await using daemon = await startDaemon({ grantRoots: [project] });
  const rules = [{ name: 'brief', text: 'Be brief.', include: 'manual' }];
  await daemon.request('/v1/agents/reviewer', { method: 'PUT', body: { name: 'Reviewer', rules } });
  const { roots } = (await daemon.request('/v1/roots')).body as { roots: unknown[] };
  const expected = JSON.stringify({ roots: roots.length, refusal: 'path_outside_roots', added: 'brief' });
  const runs: Runs = async (command, folder) => {
    const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'reviewer' } });
    const session = (body as { id: string }).id;
    const env = { CONTEXTD_URL: daemon.url, CONTEXTD_TOKEN: daemon.token, SESSION: session };
    const told = JSON.stringify(JSON.parse(await run(command, folder, env)));
    if (told !== expected) throw new Error(`It told ${told}, and not ${expected}.`);
  };
  await tryTypeScript(runs);
  await tryQuicktype(runs);
  rmSync(project, { recursive: true, force: true });
}

try {
  copyFileSync(join(repository, 'openapi/openapi.json'), document);
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted]);
  cpSync(join(repository, 'node_modules/@types/node'), join(directory, 'node_modules/@types/node'), {
    recursive: true,
  });
  writeFileSync(join(directory, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  await attempt('redocly', 'lint', () => run(['redocly', 'lint', document]));
  await attempt('spectral', 'lint', () => run(['spectral', 'lint', document, '--fail-severity', 'error']));
  await tryAll();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
for (const { tool, what, result, why } of outcomes) {
  console.log(`${tool.padEnd(24)} ${what.padEnd(10)} ${result}`);
  if (result === 'failed') console.log(why);
}
process.exitCode = outcomes.some(({ result }) => result === 'failed') ? 1 : 0;
