/** What an editor waits for context through `contextd lsp`, above the same request over HTTP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEditor, uriOf } from '../support/editor.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { startContextd } from './processes.ts';

const rounds = 100;
const allowedMs = 5;

export async function measureLanguageServer(directory: string): Promise<Figure[]> {
  const project = join(directory, 'project');
  for (const folder of ['.context', 'src']) mkdirSync(join(project, folder), { recursive: true });
  for (let at = 0; at < 20; at += 1)
    writeFileSync(join(project, `.context/rule-${at}.md`), `---\ntrigger: auto\nglobs: src/**\n---\nRule ${at}.\n`);
  const path = join(project, 'src/cart.ts');
  const content = Array.from({ length: 500 }, (_, at) => `export const value${at} = ${at};\n`).join('');
  writeFileSync(path, content);
  await using daemon = await startContextd(directory, project);
  const editor = await openEditor({ folders: [project], stateDirectory: join(directory, 'state'), home: directory });
  await editor.open(path, content, 'typescript');
  const position = { line: 10, character: 3 };
  const overLsp = () => editor.ask('contextd/context', { textDocument: { uri: uriOf(path) }, position });
  const cursor = { line: 10, column: 3 };
  const documents = [{ path, content, language: 'typescript', cursor, isActive: true }];
  const body = JSON.stringify({ mountedDirectory: project, documents });
  const headers = { authorization: daemon.authorization, 'content-type': 'application/json' };
  const overHttp = async () => (await fetch(`${daemon.url}/v1/context`, { method: 'POST', headers, body })).json();
  const timed = async (ask: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    await ask();
    return performance.now() - begun;
  };
  for (let at = 0; at < 20; at += 1) await Promise.all([overLsp(), overHttp()]);
  const above = await inTurns(
    rounds,
    async () => (await timed(overLsp)) - (await timed(overHttp)),
    () => allowedMs,
  );
  await editor.exit();
  const note = 'the baseline is what is allowed above the same request over HTTP';
  return [figureOf({ name: 'contextd/context, above HTTP', unit: 'ms', note, rounds: above, atMost: 1 })];
}
