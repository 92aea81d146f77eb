/** What a caller asks about rule files of other tools, and what is answered (FM-03). */
import { z } from 'zod';
import { Reason, Warning } from '../warnings.ts';
import { ContextFile, Trigger } from './context-file.ts';
import { FormatChoice, FormatName, formatName } from './formats/choose-formats.ts';
import { tools } from './formats/tools.ts';
import { RequestPath } from './resolve-request.ts';

const toolIds = tools.map(({ id }) => id) as [string, ...string[]];

const toolId = z.enum(toolIds, `must be one of ${toolIds.join(', ')}`);
export const ToolName = toolId.meta({ id: 'ToolName', description: 'A tool that reads rule files.' });

const files = z.array(RequestPath).max(256);

export const FormatsRequest = z.strictObject({
  mountedDirectory: RequestPath.describe('The project root: absolute, or starting with `~/`.'),
  file: z
    .union([files, RequestPath.transform((path) => [path])])
    .optional()
    .describe('Files in play, relative to the mounted directory or absolute. Repeatable.'),
  workingDirectory: RequestPath.optional().describe('The directory where work happens, as in `resolve`.'),
  as: toolId.optional().describe('The tool whose whole answer is shown.'),
  with: formatName
    .optional()
    .describe('What would change if the configuration of the project also enabled this format?'),
  without: formatName
    .optional()
    .describe('What would change if the configuration of the project disabled this format?'),
});
export type FormatsRequest = z.infer<typeof FormatsRequest>;

const tokens = z.int().min(0);

export const RuleFile = z
  .object({
    path: z.string().describe('Absolute path.'),
    relativePath: z.string().describe('Path relative to the mounted directory; `~/…` for files of the home directory.'),
    format: FormatName,
    name: z.string().describe('Name of the item, by which it can be mentioned.'),
    trigger: Trigger,
    globs: ContextFile.shape.globs,
    state: ContextFile.shape.state,
    reason: Reason,
    tokens: tokens.describe('Tokens of its body.'),
  })
  .meta({ id: 'RuleFile', description: 'A rule file of another tool, for these files in play.' });
export type RuleFile = z.infer<typeof RuleFile>;

const ToolView = z
  .object({
    tool: ToolName,
    name: z.string().describe('Name of the tool.'),
    formats: z.array(FormatName).describe('Formats that it reads and of which there are files.'),
    files: z.array(z.string()).describe('Files that it would load now: relative paths.'),
    waiting: z.array(z.string()).describe('Files that it would load for other files, or when they are asked for.'),
    links: z
      .array(z.string())
      .describe('Symbolic links that are not followed here and keep rules from it: relative paths, at most 100.'),
    linkCount: z.number().int().describe('All such links.'),
    tokens: tokens.describe('Tokens of what it would load now.'),
  })
  .meta({ id: 'ToolView', description: 'What one tool would load of the whole.' });

export const FormatsWriteRequest = z
  .strictObject({
    mountedDirectory: RequestPath.describe('The project root: absolute, or starting with `~/`.'),
    formats: FormatChoice,
  })
  .meta({ id: 'FormatsWriteRequest', description: 'Which formats the configuration of a project is to let be read.' });
export type FormatsWriteRequest = z.infer<typeof FormatsWriteRequest>;

const configuration = z.string().describe('Absolute path of the configuration.');
const etag = z.string().describe('Version of the configuration, for preconditions.');

export const FormatsWritten = z
  .object({ configuration, formats: FormatChoice, etag })
  .meta({ id: 'FormatsWritten', description: 'The choice of formats as it was written.' });
export type FormatsWritten = z.infer<typeof FormatsWritten>;

const active = z.int().min(0).describe('Context files that apply.');
const Total = z.object({ active, tokens: tokens.describe('Their tokens.') });
const Place = z.object({
  state: z.enum(['active', 'available', 'excluded']).describe('As `resolve` has it; `excluded`: it is left out.'),
  reason: Reason,
});

export const FormatsChange = z
  .object({
    configuration: z.string().describe('Absolute path of the configuration to change. It need not exist yet.'),
    etag: etag.optional().describe('Its version, for preconditions. Absent where there is none.'),
    present: FormatChoice.optional().describe('What `formats` in its `clientContext` is now.'),
    formats: FormatChoice.describe('What `formats` in its `clientContext` would be.'),
    files: z
      .array(
        z.object({
          path: z.string().describe('Absolute path.'),
          relativePath: z.string().describe('Path relative to the mounted directory, where it lies there.'),
          format: FormatName.optional(),
          tokens: tokens.optional().describe('Tokens of its body.'),
          before: Place.optional().describe('What the file is now. Absent if contextd does not look for it.'),
          after: Place.optional().describe('What the file would be. Absent if contextd would not look for it.'),
        }),
      )
      .describe('Files whose state would change, by path.'),
    servers: z
      .array(
        z.object({
          name: z.string().describe('Name of the server.'),
          change: z.enum(['added', 'removed']).describe('Whether the server would be added or removed.'),
        }),
      )
      .describe('MCP servers that would be added or removed, by name.'),
    before: Total.describe('What applies now.'),
    after: Total.describe('What would apply.'),
  })
  .meta({ id: 'FormatsChange', description: 'What another choice of formats would change. Nothing is written.' });
export type FormatsChange = z.infer<typeof FormatsChange>;

export const FormatsResult = z
  .object({
    mountedDirectory: z.string().describe('Absolute path.'),
    formats: z
      .array(
        z.object({
          name: FormatName,
          tool: z.string().describe('Name of the tool that the format belongs to.'),
          isRead: z.boolean().describe('Whether settings and configurations let it be read.'),
          leftOutBy: z
            .string()
            .optional()
            .describe(
              'Path of the configuration that disables the format. Absent if the settings of the daemon disable it.',
            ),
          files: z.int().min(1).describe('Files of the format.'),
          active: z.int().min(0).describe('Those that apply now.'),
          duplicates: z.int().min(0).describe('Files that are left out as duplicates of another file.'),
          tokens: tokens.describe('Tokens of those that apply now, or would if the format were read.'),
        }),
      )
      .describe('Formats of which there are files, by name.'),
    files: z.array(RuleFile).describe('All files of other tools that are read or could be, least specific first.'),
    tools: z.array(ToolView).describe('Tools that would find something, by name.'),
    as: z.array(RuleFile).optional().describe('What the tool would see that was asked for, with its reasons.'),
    change: FormatsChange.optional().describe('What `with` and `without` would change.'),
    usage: z
      .object({
        active: z.int().min(0).describe('All context files that apply now, those of `.context/` too.'),
        tokens: tokens.describe('Their tokens.'),
        alwaysOnTokens: tokens.describe('Tokens of the files that apply whatever file is in play.'),
        suggestedBudget: z.int().min(1).describe('A `maxTokens` that holds what applies now.'),
      })
      .describe('What a request costs.'),
    warnings: z
      .array(Warning)
      .describe('Mistakes in the user’s files and limits that were reached; with `as`, in what that tool reads.'),
  })
  .meta({ id: 'FormatsResult', description: 'Which rule files of other tools are here, and what each tool sees.' });
export type FormatsResult = z.infer<typeof FormatsResult>;
