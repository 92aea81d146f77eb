/** The answer of `resolve`. */
import { z } from 'zod';
import { Reason, Warning } from '../warnings.ts';
import { ContextFile, Importer } from './context-file.ts';
import { FormatName } from './formats/choose-formats.ts';
import { Scope } from './item-values.ts';

export const ExcludedFile = z
  .object({
    path: z.string().describe('Absolute path.'),
    format: FormatName.optional().describe('The name of the format, for a rule file of another tool.'),
    reason: Reason,
    importedBy: z.array(Importer).optional().describe('Lines of rule files that import this file.'),
  })
  .meta({ id: 'ExcludedFile', description: 'A file that was found and left out.' });
export type ExcludedFile = z.infer<typeof ExcludedFile>;

export const ClientContextConfig = z
  .object({
    includeFiles: z.array(z.string()).describe('Glob patterns of files to add.'),
    excludeFiles: z.array(z.string()).describe('Glob patterns of files to leave out. They win over `includeFiles`.'),
    ignoreGlobalContext: z.boolean().describe('Whether files of the global scope are ignored.'),
    ignoreAncestorContext: z
      .boolean()
      .describe('Whether files of the directories above the working directory are ignored.'),
  })
  .meta({ id: 'ClientContextConfig', description: 'The merged `clientContext` of all configurations that apply.' });
export type ClientContextConfig = z.infer<typeof ClientContextConfig>;

export const SemanticStatus = z
  .object({
    status: z.enum(['ready', 'degraded', 'unavailable']).describe('Whether search by meaning was possible.'),
    engine: z.string().describe('Name of the engine that selected, or `none`.'),
    detail: z.string().optional().describe('Why search by meaning was not possible, for people.'),
  })
  .meta({ id: 'SemanticStatus', description: 'Shows whether nothing matched, or nothing was searched.' });
export type SemanticStatus = z.infer<typeof SemanticStatus>;

const OmittedFile = z
  .object({
    path: z.string().describe('Absolute path.'),
    tokens: z.int().min(0).describe('Tokens that it would have used.'),
    reason: Reason,
  })
  .meta({ id: 'OmittedFile', description: 'A file whose body did not fit.' });

export const OmittedPath = z
  .object({
    path: z.string().describe('Absolute path.'),
    reason: Reason.describe(
      '`outside_roots`: the path is outside the mounted directory. The answer does not say whether it exists.',
    ),
  })
  .meta({ id: 'OmittedPath', description: 'A path of the request that is not in the answer.' });
export type OmittedPath = z.infer<typeof OmittedPath>;

export const ConfigSource = z
  .object({ path: z.string().describe('Absolute path of the configuration file.'), scope: Scope })
  .meta({ id: 'ConfigSource', description: 'A configuration file that was merged.' });
export type ConfigSource = z.infer<typeof ConfigSource>;

/** A server definition as the answer shows it: values of `env` and `headers`, and secrets in `url`, are masked. */
export const ShownMcpServer = z
  .object({
    type: z.enum(['stdio', 'sse', 'http']).optional().describe('Transport, if the definition names one.'),
    command: z.string().optional().describe('Program to run. Known forms of secrets are masked.'),
    args: z.array(z.string()).optional().describe('Arguments of the program. Known forms of secrets are masked.'),
    env: z.record(z.string(), z.string()).optional().describe('Environment variables. Values are masked.'),
    url: z.string().optional().describe('Address of a remote server. User information and query values are masked.'),
    headers: z.record(z.string(), z.string()).optional().describe('Headers. Values are masked.'),
    disabled: z.boolean().optional().describe('True if the definition disables the server.'),
    cwd: z.string().optional().describe('Working directory of the server, if the definition names one.'),
    definedIn: z.string().describe('Absolute path of the configuration that defines it.'),
    alsoDefinedIn: z
      .array(z.string())
      .optional()
      .describe('Absolute paths of the configurations that have the same definition in lists of other tools.'),
    scope: Scope,
    shadows: z
      .array(
        z.object({
          path: z.string().describe('Absolute path of a configuration whose definition with the same name is hidden.'),
          scope: Scope,
        }),
      )
      .optional()
      .describe('Weaker definitions of the same name.'),
  })
  .meta({
    id: 'ShownMcpServer',
    description: 'A merged MCP server definition with masked secrets. It is shown, not started.',
  });
export type ShownMcpServer = z.infer<typeof ShownMcpServer>;

export const ResolveResult = z
  .object({
    mountedDirectory: z.string().describe('Absolute path.'),
    workingDirectories: z.array(z.string()).describe('Absolute paths of the AI working directories that were used.'),
    files: z.array(ContextFile).describe('Active and available files, least specific first.'),
    excluded: z.array(ExcludedFile).describe('Files that were found and left out, ordered by path.'),
    config: z
      .object({
        clientContext: ClientContextConfig,
        mcpServers: z
          .record(z.string(), ShownMcpServer)
          .describe('MCP servers, merged by name. The nearest definition is used as a whole.'),
      })
      .describe('The merged configuration that was applied.'),
    configSources: z.array(ConfigSource).describe('Configuration files that were used, weakest first.'),
    omitted: z
      .array(OmittedPath)
      .describe(
        'Entries of `files` that are outside the mounted directory (`outside_roots`), which are ignored, or that do not exist (`not_found`), which are in play all the same.',
      ),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
    usage: z
      .object({
        files: z.int().min(0).describe('Number of active files.'),
        bytes: z.int().min(0).describe('Size of their bodies in bytes.'),
        tokens: z.int().min(0).describe('Tokens of their bodies.'),
        omitted: z.array(OmittedFile).describe('Files whose bodies did not fit, in order of removal.'),
      })
      .describe('What the active files cost.'),
    semantic: SemanticStatus.optional(),
    digest: z
      .string()
      .describe(
        'SHA-256 of everything that a model would see, in hexadecimal. The same digest means the same context.',
      ),
  })
  .meta({ id: 'ResolveResult', description: 'The context that applies, and why.' });
export type ResolveResult = z.infer<typeof ResolveResult>;
