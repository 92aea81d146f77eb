/** What kills the process that parses source costs at most the definitions of that moment (S-79). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDaemon, until } from '../support/daemon.ts';
import { tellMeasured } from '../support/measured.ts';
import { childProcesses, isRunning } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

const rounds = sized(8, 100, 3);
const files = 12;

type Retrieved = { items: { path: string; content?: string }[]; omitted: { path: string }[] };

it(`S-79 goes on after each of ${rounds} kills of the parser at work, and leaves none behind`, {
  timeout: 30_000 + rounds * 6_000,
}, async (context) => {
  const workspace = temporaryDirectory();
  const names = Array.from({ length: files }, (_, at) => `m${at}`);
  mkdirSync(join(workspace, 'src'));
  const imports = names.map((name) => `import { ${name} } from './${name}.ts';\n`).join('');
  writeFileSync(join(workspace, 'src/main.ts'), imports);
  const seen = new Set<number>();
  await using daemon = await startDaemon({ grantRoots: [workspace] });
  const parsers = () => childProcesses(daemon.process.child.pid, 'source-parser-process');
  const retrieve = async (): Promise<Retrieved> => {
    const body = { mountedDirectory: workspace, activeDocument: { path: 'src/main.ts' } };
    const answer = await daemon.request('/v1/retrieve', { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Retrieved;
  };
  const write = (round: number) => {
    // Each round has all to parse again.
    for (const name of names)
      writeFileSync(
        join(workspace, `src/${name}.ts`),
        `export const ${name} = ${round};\n${'// filler\n'.repeat(500)}`,
      );
  };
  let whole = 0;
  let killed = 0;
  // What is imported is known before: an active document that killed the parser twice would be left alone for a while.
  write(-1);
  await retrieve();
  for (let round = 0; round < rounds; round += 1) {
    write(round);
    const asked = retrieve();
    const pids = await until(() => {
      const found = parsers();
      return found.length > 0 ? found : undefined;
    });
    for (const pid of pids) {
      seen.add(pid);
      killed += Number(process.kill(pid, 'SIGKILL'));
    }
    const { items, omitted } = await asked;
    const lost = names.filter((name) => !items.some(({ content }) => content?.includes(`${name} = ${round}`)));
    if (lost.length === 0) whole += 1;
    const told = omitted.map(({ path }) => path);
    const isTold = (name: string) =>
      [`src/${name}.ts`, 'src/main.ts'].some((path) => told.includes(join(workspace, path)));
    expect(
      lost.filter((name) => !isTold(name)),
      `round ${round}`,
    ).toEqual([]);
  }
  expect(killed).toBeGreaterThanOrEqual(rounds);
  write(rounds);
  const { items, omitted } = await retrieve();
  const text = items.map(({ content }) => content).join('\n');
  expect(names.filter((name) => !text.includes(`${name} = ${rounds}`))).toEqual([]);
  expect(omitted).toEqual([]);
  expect((await daemon.request('/health')).status).toBe(200);
  for (const pid of parsers()) seen.add(pid);
  daemon.process.child.kill('SIGTERM');
  expect(await daemon.process.exited).toMatchObject({ code: 0 });
  await until(() => ![...seen].some(isRunning), 2_000);
  tellMeasured(context, `${killed} kills, ${whole} of ${rounds} answers whole all the same`);
});
