import { Argument, type Command } from 'commander';
import { type Shell, shells } from '../render/completion-script.ts';

/** `contextd completion`: a script that completes commands and options. `createProgram` builds all of them. */
export function addCompletionCommand(program: Command, createProgram: () => Promise<Command>): void {
  program
    .command('completion')
    .summary('Print a script that completes commands and options.')
    .description('Prints a script that lets your shell complete commands and options.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText('after', completionHelp)
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../render/completion-script.ts');
      process.stdout.write(completionScript(await createProgram(), shell));
    });
}

const completionHelp = `
To have it in every shell:
  bash   echo 'eval "$(contextd completion bash)"' >> ~/.bashrc
  zsh    echo 'source <(contextd completion zsh)' >> ~/.zshrc
  fish   contextd completion fish > ~/.config/fish/completions/contextd.fish

Exit codes:
  0 printed   64 wrong usage`;
