/** What the soak works on: context files of all triggers, sources that import each other, and a policy. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const triggers = [
  'trigger: always',
  'trigger: auto\nglobs: "src/**"',
  'trigger: agent\ndescription: About part',
  'trigger: manual',
];

/** `files` context files, as many sources, and one server that speaks MCP. */
export function writeWorkspace(
  directory: string,
  { files, server }: { files: number; server: { command: string; args: string[] } },
): void {
  mkdirSync(join(directory, '.context'), { recursive: true });
  mkdirSync(join(directory, 'src'), { recursive: true });
  for (let n = 0; n < files; n += 1) {
    writeFileSync(join(directory, '.context', `rule-${n}.md`), contextFile(n));
    const imports = n === 0 ? '' : `import { value${n - 1} } from './part-${n - 1}.ts';\n`;
    writeFileSync(join(directory, 'src', `part-${n}.ts`), `${imports}export const value${n} = ${n};\n`);
  }
  writeFileSync(join(directory, '.context', 'config.json'), JSON.stringify({ mcpServers: { soak: server } }));
  writeFileSync(
    join(directory, '.ai-context-policy.yaml'),
    'version: 1\nai_context_policy: allow\nexclude:\n  - secret/**\n',
  );
}

function contextFile(n: number): string {
  return `---\n${triggers[n % triggers.length]}\n---\nRule ${n}: every failure of part ${n} must be logged, and no password may be in it.\n`;
}

/** Writes, changes and removes context files, folders and the policy, a few times a second, until `isOver`. */
export async function churn(directory: string, isOver: () => boolean): Promise<number> {
  let changes = 0;
  for (; !isOver(); changes += 1) {
    const folder = join(directory, 'src', `late-${changes % 20}`, '.context');
    if (changes % 5 === 0) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'late.md'), contextFile(changes));
    } else if (changes % 5 === 3)
      rmSync(join(directory, 'src', `late-${(changes - 3) % 20}`), { recursive: true, force: true });
    else writeFileSync(join(directory, '.context', `rule-${changes % 7}.md`), contextFile(changes));
    if (changes % 50 === 0)
      writeFileSync(
        join(directory, '.ai-context-policy.yaml'),
        `version: 1\nai_context_policy: allow\nexclude:\n  - secret-${changes}/**\n`,
      );
    await delay(200);
  }
  return changes;
}
