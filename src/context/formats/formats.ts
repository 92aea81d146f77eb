/** All formats that are read in place (FM-01). A new one is a file beside this and an entry here. */
import { agentsMd } from './agents-md.ts';
import { aider } from './aider.ts';
import { antigravity } from './antigravity.ts';
import { augment } from './augment.ts';
import { claudeMd } from './claude-md.ts';
import { claudeRules } from './claude-rules.ts';
import { cline } from './cline.ts';
import { continueDev } from './continue.ts';
import { copilot } from './copilot.ts';
import { copilotInstructions } from './copilot-instructions.ts';
import { cursor, cursorrules } from './cursor.ts';
import type { RuleFormat } from './format.ts';
import { gemini } from './gemini.ts';
import { jetbrains } from './jetbrains.ts';
import { junie } from './junie.ts';
import { kilo } from './kilo.ts';
import { kiro } from './kiro.ts';
import { opencode } from './opencode.ts';
import { openhands } from './openhands.ts';
import { roo } from './roo.ts';
import { skillFormats } from './skills.ts';
import { trae } from './trae.ts';
import { windsurf } from './windsurf.ts';
import { formatsWithPaths } from './with-paths.ts';

export const ruleFormats: readonly RuleFormat[] = [
  agentsMd,
  aider,
  antigravity,
  augment,
  claudeMd,
  claudeRules,
  cline,
  continueDev,
  copilot,
  copilotInstructions,
  cursor,
  cursorrules,
  gemini,
  jetbrains,
  junie,
  kilo,
  kiro,
  opencode,
  openhands,
  roo,
  trae,
  windsurf,
  ...formatsWithPaths,
  ...skillFormats,
];
