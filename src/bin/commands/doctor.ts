import type { Command } from 'commander';
import { visibleText } from '../../texts/visible-text.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

/** `contextd doctor`: finds problems, and says how to fix them. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('Look for problems, and say how to fix them.')
    .description(
      'Looks at versions, permissions, port, environment and limits, and asks the running daemon. Changes nothing.',
    )
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', '\nExit codes:\n  0 nothing is wrong   1 something is   64 wrong usage')
    .action(printDiagnosis);
}

const marks = { good: ['✓', 'green'], notice: ['·', 'yellow'], fault: ['✕', 'red'] } as const;

async function printDiagnosis(flags: CommonFlags): Promise<void> {
  const surroundings = processSurroundings();
  const { diagnose } = await import('../daemon/doctor.ts');
  const diagnosis = await diagnose(daemonPlace(flags.stateDir, surroundings), surroundings);
  if (!diagnosis.healthy) process.exitCode = exitCodes.findings;
  if (flags.json === true) return printJson(diagnosis);
  const { terminalSheet } = await import('../render/page.ts');
  const { paint } = terminalSheet(surroundings.home);
  for (const { subject, state, says, mend } of diagnosis.findings) {
    const [mark, color] = marks[state];
    console.log(`${paint(color, mark)} ${subject.padEnd(15)} ${visibleText(says)}`);
    if (mend !== undefined) console.log(`${' '.repeat(18)}${visibleText(mend)}`);
  }
}
