/** What an engine remembers must never show: after any changes it answers like one that was made a moment ago. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sized } from '../support/test-size.ts';
import { config, contextFile, createWorkspace, home, project } from '../support/workspace.ts';

const directories = ['.context', '.context/rules', 'src/.context', 'src/api/.context'].map(
  (path) => `${project}/${path}`,
);
const fileNames = ['a.md', 'b.md', 'c.txt', 'd.png'];
const patterns = ['a.md', '**/b.*', 'rules', '*.txt', '../notes.md', 'docs/*.md', '[', '/etc/*'];

const contextPath = fc.tuple(fc.constantFrom(...directories, `${home}/.context`), fc.constantFrom(...fileNames));
const edit = fc.oneof(
  fc.record({
    write: contextPath.map((parts) => parts.join('/')),
    content: fc
      .tuple(fc.constantFrom('always', 'auto', 'manual', 'agent'), fc.boolean(), fc.nat(2))
      .map(([trigger, disabled, body]) => contextFile({ trigger, disabled, globs: '**/*.ts' }, `${body}`)),
  }),
  fc.record({
    write: fc.constantFrom(...directories, `${home}/.context`).map((directory) => `${directory}/context-config.json`),
    content: fc
      .record({
        includeFiles: fc.subarray(patterns, { maxLength: 2 }),
        excludeFiles: fc.subarray(patterns, { maxLength: 2 }),
        ignoreGlobalContext: fc.boolean(),
        ignoreAncestorContext: fc.boolean(),
      })
      .map((clientContext) => config({ clientContext })),
  }),
  fc.record({
    write: fc.constantFrom(`${project}/docs/x.md`, `${project}/notes.md`),
    content: fc.constantFrom('1', '2'),
  }),
  fc.record({ remove: contextPath.map((parts) => parts.join('/')) }),
);
const requests = [{}, { workingDirectory: 'src/api' }, { files: ['src/main.ts', 'src/api/call.ts'] }];

describe('an engine that has seen changes', () => {
  it(
    'CC-36 answers after any sequence of changes like a new engine',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(edit, fc.constantFrom(0, 1, 3_000)), { maxLength: 12 }), async (edits) => {
          const { engine, files, clock } = await createWorkspace({ 'src/main.ts': '' });
          for (const [change, passingMs] of edits) {
            if ('write' in change) files.write(change.write, change.content);
            else if ((await files.stat(change.remove)).ok) files.remove(change.remove);
            clock.advance(passingMs);
            for (const request of requests) {
              const fresh = await createWorkspace({}, { ports: { files, clock } });
              const expected = await fresh.engine.resolve({ mountedDirectory: project, ...request });
              await fresh.engine.dispose();
              expect(await engine.resolve({ mountedDirectory: project, ...request })).toEqual(expected);
            }
          }
          await engine.dispose();
        }),
        { numRuns: sized(40, 1_000, 12), seed: 36 },
      );
    },
    sized(60_000, 900_000),
  );
});
