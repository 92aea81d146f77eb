/** The instructions of a Dockerfile, as far as this project's use them. */

/** `flags` are those of `COPY --from=…` and the like; `rest` is what follows them, lines joined. */
export type Instruction = { name: string; flags: Record<string, string>; rest: string };

export function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/u.test(line));
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/gu, '')
    .split('\n')
    .map((line) => {
      const [, name = '', options = '', rest = ''] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/u.exec(line.trim()) ?? [];
      const flags = [...options.matchAll(/--([\w-]+)=(\S+)/gu)].map(([, key, value]) => [key, value]);
      return { name: name.toUpperCase(), flags: Object.fromEntries(flags), rest };
    });
}

/** The words of `["a", "b"]`, or of a shell's command line. */
export function commandOf(rest: string): string[] {
  return rest.startsWith('[') ? (JSON.parse(rest) as string[]) : ['/bin/sh', '-c', rest];
}

export type Stage = { name?: string; image: string; instructions: Instruction[] };

export function stagesOf(instructions: readonly Instruction[]): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of instructions) {
    const [, image = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/iu.exec(instruction.rest) ?? [];
    if (instruction.name === 'FROM') stages.push({ image, instructions: [], ...(name === undefined ? {} : { name }) });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}
