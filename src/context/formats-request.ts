/** Requests and answers about rule files of other tools (FM-03). */
import { z } from 'zod';
import { Reason, Warning } from '../warnings.ts';
import { ContextFile } from './context-file.ts';
import { FormatChoice, FormatName, formatName } from './formats/choose-formats.ts';
import { tools } from './formats/tools.ts';
import { Trigger } from './item-values.ts';
import { mountedDirectory, RequestPath } from './resolve-request.ts';

const toolIds = tools.map(({ id }) => id) as [string, ...string[]];

const toolId = z.enum(toolIds, `must be one of ${toolIds.join(', ')}`);
const ToolName = toolId.meta({ id: 'ToolName', description: 'A tool that reads rule files.' });

const files = z.array(RequestPath).max(256);

export const FormatsRequest = z.strictObject({
  mountedDirectory,
  file: z
    .union([files, RequestPath.transform((path) => [path])])
    .optional()
    .describe('Files in play, relative to the mounted directory or absolute. Repeatable.'),
  workingDirectory: RequestPath.optional().describe('The directory where work happens, as in `resolve`.'),
  as: toolId.optional().describe('The tool whose whole answer is shown.'),
  with: formatName
    .optional()
    .describe('Shows what would change if the configuration of the project also enabled this format.'),
  without: formatName
    .optional()
    .describe('Shows what would change if the configuration of the project disabled this format.'),
});
export type FormatsRequest = z.infer<typeof FormatsRequest>;

const tokens = z.int().min(0);

export const RuleFile = z
  .object({
    path: z.string().describe('Absolute path.'),
    relativePath: z.string().describe('Path relative to the mounted directory; `~/…` for files of the home directory.'),
    format: FormatName,
    name: z.string().describe('Name of the item. A request can mention it by this name.'),
    trigger: Trigger,
    globs: ContextFile.shape.globs,
    state: ContextFile.shape.state,
    reason: Reason,
    tokens: tokens.describe('Tokens of the body.'),
  })
  .meta({ id: 'RuleFile', description: 'A rule file of another tool, for these files in play.' });
export type RuleFile = z.infer<typeof RuleFile>;

const ToolView = z
  .object({
    tool: ToolName,
    name: z.string().describe('Name of the tool.'),
    formats: z.array(FormatName).describe('Formats that the tool reads and that have files here.'),
    files: z.array(z.string()).describe('Files that the tool would load now, as relative paths.'),
    waiting: z
      .array(z.string())
      .describe('Files that the tool would load for other files in play, or if somebody asks for them.'),
    links: z
      .array(z.string())
      .describe(
        'Symbolic links that contextd does not follow, so that it does not see their rules: relative paths, at most 100.',
      ),
    linkCount: z.number().int().describe('Number of all such links.'),
    tokens: tokens.describe('Tokens of what the tool would load now.'),
  })
  .meta({ id: 'ToolView', description: 'What one tool would load.' });

export const FormatsWriteRequest = z
  .strictObject({
    mountedDirectory,
    formats: FormatChoice,
  })
  .meta({ id: 'FormatsWriteRequest', description: 'Which formats to enable in the configuration of a project.' });
export type FormatsWriteRequest = z.infer<typeof FormatsWriteRequest>;

const configuration = z.string().describe('Absolute path of the configuration.');
const etag = z.string().describe('Version of the configuration, for preconditions.');

export const FormatsWritten = z
  .object({ configuration, formats: FormatChoice, etag })
  .meta({ id: 'FormatsWritten', description: 'The choice of formats as it was written.' });
export type FormatsWritten = z.infer<typeof FormatsWritten>;

const active = z.int().min(0).describe('Context files that apply.');
const Total = z.object({ active, tokens: tokens.describe('Tokens of these files.') });
const Place = z.object({
  state: z
    .enum(['active', 'available', 'excluded'])
    .describe('State as in `resolve`. `excluded`: the file is left out.'),
  reason: Reason,
});

export const FormatsChange = z
  .object({
    configuration: z.string().describe('Absolute path of the configuration to change. It need not exist yet.'),
    etag: etag
      .optional()
      .describe('Version of the configuration, for preconditions. Absent if there is no configuration.'),
    present: FormatChoice.optional().describe('Current value of `formats` in `clientContext` of the configuration.'),
    formats: FormatChoice.describe('New value of `formats` in `clientContext` of the configuration.'),
    files: z
      .array(
        z.object({
          path: z.string().describe('Absolute path.'),
          relativePath: z
            .string()
            .describe('Path relative to the mounted directory. A file outside it has `~/…` or its absolute path.'),
          format: FormatName.optional(),
          tokens: tokens.optional().describe('Tokens of the body.'),
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
          isRead: z.boolean().describe('Whether settings and configurations enable the format.'),
          leftOutBy: z
            .string()
            .optional()
            .describe(
              'Path of the configuration that disables the format. Absent if the settings of the daemon disable it.',
            ),
          files: z.int().min(1).describe('Number of files of the format.'),
          active: z.int().min(0).describe('Number of files that apply now.'),
          duplicates: z.int().min(0).describe('Number of files that are left out as duplicates of another file.'),
          tokens: tokens.describe('Tokens of the files that apply now, or would apply if the format was enabled.'),
        }),
      )
      .describe('Formats that have files here, sorted by name.'),
    files: z.array(RuleFile).describe('All files of other tools that are read or could be read, least specific first.'),
    tools: z.array(ToolView).describe('Tools that would find files here, sorted by name.'),
    as: z.array(RuleFile).optional().describe('The files that the tool of `as` would see, with reasons.'),
    change: FormatsChange.optional().describe('What `with` and `without` would change.'),
    usage: z
      .object({
        active: z.int().min(0).describe('Number of all context files that apply now, including those of `.context/`.'),
        tokens: tokens.describe('Tokens of these files.'),
        alwaysOnTokens: tokens.describe('Tokens of the files that always apply, whatever file is in play.'),
        suggestedBudget: z.int().min(1).describe('A `maxTokens` that is enough for what applies now.'),
      })
      .describe('What a request costs.'),
    warnings: z
      .array(Warning)
      .describe(
        'Mistakes in the user’s files and limits that were reached. With `as`: only for files that this tool reads.',
      ),
  })
  .meta({ id: 'FormatsResult', description: 'Which rule files of other tools are here, and what each tool sees.' });
export type FormatsResult = z.infer<typeof FormatsResult>;
