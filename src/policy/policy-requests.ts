/** Requests and answers about policies (AP-07, AP-09). Requests are strict. */
import { z } from 'zod';
import { PolicyDecision } from '../access/content-policy.ts';
import { policyFileNames } from '../access/policy-file-names.ts';
import { GlobPattern } from '../context/config.ts';
import { mountedDirectory, RequestPath } from '../context/resolve-request.ts';
import { fixedLimits } from '../settings.ts';
import { Warning } from '../warnings.ts';
import { PolicyKind } from './policy-file.ts';

const directory = RequestPath.optional().describe(
  'Directory of the policy: relative to the mounted directory, or absolute inside it. Default: the mounted directory.',
);
const exclude = z
  .array(GlobPattern)
  .max(fixedLimits.request.patterns)
  .describe('Glob patterns of the exceptions, relative to the directory of the policy.');
const warnings = z.array(Warning).describe('Problems with the policies that were read.');

export const PathDecision = PolicyDecision.extend({
  path: z.string().describe('Absolute path of the file.'),
}).meta({ id: 'PathDecision', description: 'Whether the content of a file may be given to an AI system, and why.' });
export type PathDecision = z.infer<typeof PathDecision>;

export const PolicyCheckRequest = z
  .strictObject({
    mountedDirectory,
    paths: z
      .array(RequestPath)
      .max(fixedLimits.policies.checkedPaths)
      .describe('Files: relative to the mounted directory, or absolute. They need not exist.'),
  })
  .meta({ id: 'PolicyCheckRequest', description: 'Which files to decide about.' });
export type PolicyCheckRequest = z.infer<typeof PolicyCheckRequest>;

export const PolicyCheckResult = z
  .object({
    decisions: z.array(PathDecision).describe('One decision for each path, in the order of the request.'),
    warnings,
  })
  .meta({ id: 'PolicyCheckResult', description: 'What the policies say about each file.' });
export type PolicyCheckResult = z.infer<typeof PolicyCheckResult>;

export const PolicyDocument = z
  .object({
    path: z.string().describe('Absolute path of the policy file.'),
    directory: z.string().describe('Directory of the policy. The policy decides about the files below it.'),
    aiContextPolicy: PolicyKind.describe('What the policy says. `block` if the file cannot be used.'),
    exclude: z.array(z.string()).describe('Glob patterns of the exceptions.'),
    version: z.literal(1).describe('Version of the format.'),
    valid: z.boolean().describe('False if the file cannot be used. It then blocks everything below its directory.'),
    etag: z
      .string()
      .optional()
      .describe('Version of the file, for preconditions. Absent if the file cannot be opened.'),
    text: z.string().optional().describe('Text of the file. Absent if it cannot be read as text.'),
  })
  .meta({ id: 'PolicyDocument', description: 'An AI context policy of a tree.' });
export type PolicyDocument = z.infer<typeof PolicyDocument>;

export const PolicyList = z
  .object({
    mountedDirectory: z.string().describe('The directory of the request as an absolute path.'),
    policies: z.array(PolicyDocument).describe('All policies of the tree, sorted by path.'),
    warnings,
  })
  .meta({ id: 'PolicyList', description: 'The policies of a tree.' });
export type PolicyList = z.infer<typeof PolicyList>;

/** Much more than a file of 64 patterns needs. The daemon reads less than this (`configBytes`). */
const text = z
  .string()
  .max(1024 * 1024)
  .describe('The whole text of the file. It is written byte for byte.');
const name = z
  .enum(policyFileNames)
  .optional()
  .describe(
    'Which of the two file names is meant, if a directory has both. Default: the one that is there, else `.ai-context-policy.yaml`.',
  );

const PolicySettings = z
  .strictObject({
    mountedDirectory,
    directory,
    aiContextPolicy: PolicyKind.describe('What applies to all files that `exclude` does not match.'),
    exclude,
    name,
  })
  .meta({ id: 'PolicySettings', description: 'Settings of a policy.' });

const PolicyText = z
  .strictObject({ mountedDirectory, directory, text, name })
  .meta({ id: 'PolicyText', description: 'Text of a policy file.' });

/**
 * A field never has a different value in each of the two schemas. The fields that are present tell them apart. The same
 * holds for the two schemas of previews below.
 */
export const PolicyWriteRequest = z.union([PolicySettings, PolicyText]);
export type PolicyWriteRequest = z.infer<typeof PolicyWriteRequest>;

const limit = z
  .int()
  .min(0)
  .max(fixedLimits.policies.shownDecisions)
  .optional()
  .describe('Max decisions to show of each list. Default: 100.');

const PolicySettingsPreview = z
  .strictObject({
    mountedDirectory,
    directory,
    aiContextPolicy: PolicyKind.optional().describe(
      'What the policy would say. Without this and `exclude`, the existing policies are used, and `name` has no effect.',
    ),
    exclude: exclude.optional(),
    name,
    limit,
  })
  .meta({ id: 'PolicySettingsPreview', description: 'A policy that is not written yet.' });

const PolicyTextPreview = z
  .strictObject({ mountedDirectory, directory, text, name, limit })
  .meta({ id: 'PolicyTextPreview', description: 'A policy file that is not written yet.' });

export const PolicyPreviewRequest = z.union([PolicySettingsPreview, PolicyTextPreview]);
export type PolicyPreviewRequest = z.infer<typeof PolicyPreviewRequest>;

export const PolicyPreview = z
  .object({
    allowed: z.int().describe('Number of files below the directory that would be allowed.'),
    blocked: z.int().describe('Number of files that would be blocked, including sensitive files.'),
    sample: z.array(PathDecision).describe('Some decisions of both kinds, sorted by path.'),
    changes: z
      .object({
        allowed: z.int().describe('Number of files that are blocked now and would be allowed.'),
        blocked: z.int().describe('Number of files that are allowed now and would be blocked.'),
        sample: z.array(PathDecision).describe('Some of these new decisions, sorted by path.'),
      })
      .describe('Differences from the current policies.'),
    truncated: z.boolean().describe('Whether a limit prevented some files from being counted.'),
    warnings,
  })
  .meta({ id: 'PolicyPreview', description: 'What a policy would allow.' });
export type PolicyPreview = z.infer<typeof PolicyPreview>;

export const PolicyRemoval = z.strictObject({
  mountedDirectory,
  directory,
  name: name.describe(
    'Which of the two file names is meant, if a directory has both. Default: the file that has the version.',
  ),
});
export type PolicyRemoval = z.infer<typeof PolicyRemoval>;
