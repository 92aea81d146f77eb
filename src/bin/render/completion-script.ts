/** Shell completion, generated from the commands (SY-04). */
import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * A command with what can follow it. `words` is how it is called: `''` for the program, `roots grant` for a subcommand.
 */
type Node = { words: string; subcommands: { name: string; summary: string }[]; options: Option[] };

/** The script for a shell. Completion itself needs neither the program nor a daemon. */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = listNodes(program, []);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](nodes);
}

function listNodes(command: Command, path: readonly string[]): Node[] {
  const node: Node = {
    words: path.join(' '),
    subcommands: [
      ...command.commands.map((each) => ({ name: each.name(), summary: plain(each.summary() || each.description()) })),
      // The words for an argument are in the place of a subcommand.
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((name) => ({ name, summary: plain(description) })),
      ),
    ],
    options: command
      .createHelp()
      .visibleOptions(command)
      .filter((option) => option.long !== undefined),
  };
  return [node, ...command.commands.flatMap((each) => listNodes(each, [...path, each.name()]))];
}

/** Text for single quotes in every shell. */
function plain(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/\s+/gu, ' ');
}

function wordsAfter({ subcommands, options }: Node): string {
  return [...subcommands.map(({ name }) => name), ...options.map(({ long }) => long)].join(' ');
}

/** The typed commands, and what may follow them. `cases`: for `case` of bash and zsh. */
function commandCases(nodes: readonly Node[]): string {
  return nodes
    .filter(({ words }) => words !== '')
    .map(({ words }) => `      ' ${words}'|'${words}') command='${words}' ;;`)
    .join('\n');
}

/** Options with a fixed set of values. */
function choiceCases(nodes: readonly Node[]): [option: string, choices: string][] {
  const choices = nodes.flatMap(({ options }) => options.filter(({ argChoices }) => argChoices));
  return [...new Map(choices.map(({ long, argChoices }) => [long as string, (argChoices ?? []).join(' ')]))];
}

function bashScript(nodes: readonly Node[]): string {
  const choices = choiceCases(nodes).map(
    ([option, words]) => `    ${option}) COMPREPLY=($(compgen -W '${words}' -- "$current")); return ;;`,
  );
  return `# contextd completion for bash. Load it with: eval "$(contextd completion bash)"
_contextd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case "$command \${word}" in
${commandCases(nodes)}
    esac
  done
  case "$previous" in
${choices.join('\n')}
  esac
  case "$command" in
${nodes.map((node) => `    '${node.words}') words='${wordsAfter(node)}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _contextd contextd
`;
}

function zshScript(nodes: readonly Node[]): string {
  const described = (node: Node): string =>
    [
      ...node.subcommands.map(({ name, summary }) => `'${name}:${summary}'`),
      ...node.options.map(({ long, description }) => `'${long}:${plain(description)}'`),
    ].join(' ');
  const choices = choiceCases(nodes).map(([option, words]) => `    ${option}) compadd -- ${words}; return ;;`);
  return `#compdef contextd
# contextd completion for zsh. Load it with: source <(contextd completion zsh)
_contextd() {
  local command='' word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
${commandCases(nodes)}
    esac
  done
  case "$words[CURRENT-1]" in
${choices.join('\n')}
  esac
  case "$command" in
${nodes.map((node) => `    '${node.words}') candidates=(${described(node)}) ;;`).join('\n')}
  esac
  _describe 'contextd' candidates
  _files
}
compdef _contextd contextd
`;
}

function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ words, subcommands, options }) => {
    const seen = words.split(' ').filter(Boolean);
    const names = subcommands.map(({ name }) => name).join(' ');
    const conditions = [
      ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`]),
    ];
    const when = conditions.length === 0 ? '' : ` -n '${conditions.join('; and ')}'`;
    return [
      ...subcommands.map(({ name, summary }) => `complete -c contextd -f${when} -a ${name} -d '${summary}'`),
      ...options.map((option) => `complete -c contextd${when} ${fishOption(option)}`),
    ];
  });
  return `# contextd completion for fish. Load it with: contextd completion fish | source\n${lines.join('\n')}\n`;
}

function fishOption({ long, short, description, required, argChoices }: Option): string {
  const names = [`-l ${(long as string).slice(2)}`, ...(short === undefined ? [] : [`-s ${short.slice(1)}`])];
  const choices = argChoices && `-x -a '${argChoices.join(' ')}'`;
  const value = choices ?? (required ? '-r' : undefined);
  return [...names, ...(value ? [value] : []), `-d '${plain(description)}'`].join(' ');
}
