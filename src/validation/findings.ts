/**
 * Every code that a check can report: its severity, its meaning, how to fix it if the message does not say, and whether
 * it is about a whole file instead of a line.
 */

import type { WarningCode } from '../warning-codes.ts';

type Rule = { severity: 'error' | 'warning'; title: string; mend?: string; isAboutFile?: true };

const error = (title: string, mend?: string): Rule => ({ severity: 'error', title, mend });
const warning = (title: string, mend?: string): Rule => ({ severity: 'warning', title, mend });
const aboutFile = (rule: Rule): Rule => ({ ...rule, isAboutFile: true });

const renamed = 'Rename it.';

/** By code. Codes never change. */
export const rules = {
  // Configurations
  invalid_config: error('The configuration cannot be read'),
  config_too_large: aboutFile(error('The configuration is too large', 'Shorten it.')),
  config_not_read: aboutFile(error('The configuration cannot be opened', 'Put a readable, regular UTF-8 file there.')),
  invalid_config_value: error('A value of the configuration is invalid'),
  misspelled_config_key: error('A key of the configuration is misspelled'),
  duplicate_config_key: error('A key is written more than once', 'Remove the others.'),
  invalid_server_url: error('The address of a server is not an HTTP address'),
  misnamed_config: aboutFile(error('A configuration has a name under which it is not read')),
  misplaced_config_file: aboutFile(error('A configuration lies where it is not read')),
  unknown_config_key: warning('A key of the configuration is unknown'),
  misplaced_config_key: warning('A key of the configuration stands in the wrong place', 'Move it there.'),
  server_type_mismatch: warning('The type of a server does not fit it'),
  duplicate_server: warning('A server is defined more than once'),

  // Patterns
  invalid_pattern: error('A glob pattern cannot be used', 'Write another pattern.'),
  pattern_outside_granted_roots: error('An include pattern leads nowhere', 'Begin it where the files are.'),
  pattern_outside_mounted_directory: warning('An include pattern reaches outside the mounted directory'),
  unsupported_glob_syntax: warning('A glob pattern uses a syntax that is not supported here'),
  unused_pattern: warning('A glob pattern matches nothing'),
  shadowed_pattern: warning('Files of an include pattern are excluded'),

  // Context files
  invalid_front_matter: error('The front matter cannot be read', 'A value with special characters needs quotes.'),
  front_matter_too_large: aboutFile(error('The front matter is too large', 'Move text into the body.')),
  front_matter_fence: error('Front matter is not recognised'),
  front_matter_not_closed: error('Front matter is not closed'),
  front_matter_in_text_file: error('Front matter stands in a text file'),
  second_front_matter: error('A second block of front matter is text', 'Join the two blocks.'),
  unopened_front_matter: error('Front matter lacks its first fence', 'Write "---" above them.'),
  invalid_property: error('A property of the front matter is invalid'),
  unknown_trigger: error('The trigger is unknown'),
  agent_without_description: error('An agent file does not say what it is about'),
  binary: aboutFile(error('A context file is not text')),
  invalid_utf8: aboutFile(error('A context file is not UTF-8', 'Save it as UTF-8.')),
  unreadable: aboutFile(error('Something cannot be read', 'Give the user who runs contextd permission to read it.')),
  undecodable_name: error('A name is not UTF-8', renamed),
  not_regular_file: aboutFile(error('Something is not a regular file', 'Put a file there, or remove it.')),
  misspelled_property: warning('A property of the front matter may be misspelled'),
  foreign_property: warning('A property of another tool has no effect'),
  empty_description: warning('The description is empty'),
  empty_body: warning('The file has no body'),
  auto_without_globs: warning('An auto file applies to every file'),
  globs_without_auto: warning('Globs have no effect'),
  globs_overruled: warning('Globs are overruled by appliesTo'),
  duplicate_name: warning('Two files have the same name'),
  suspicious_unicode: warning('Invisible or misleading characters', 'Delete them, or type the words again.'),
  possible_secret: warning(
    'Something looks like a secret',
    'Remove it from the file, and replace the secret with a new one.',
  ),
  html_comment: warning('A comment that models read and people do not see', 'Delete it, or write it as text.'),
  merge_conflict: warning('A merge conflict is not resolved'),
  unsupported_type: aboutFile(warning('Files of a type that is not delivered', 'Convert, move or exclude them.')),
  sensitive_name: aboutFile(warning('A file is never delivered because of its name')),
  file_truncated: aboutFile(warning('The file is larger than what is delivered', 'Shorten or divide it.')),
  too_deep: aboutFile(warning('A file lies too deep to be found')),
  symlink: warning('A symbolic link is not followed', 'Put the file or directory itself there.'),
  outside_roots: warning('A symbolic link leads outside', 'Put the file or directory itself there.'),
  context_directory_outside_granted_roots: warning('A context directory lies outside the granted roots'),

  // Files of other tools
  misnamed_rule: aboutFile(
    warning('A rule has a name under which its tool does not apply it', 'Rename it, or move it elsewhere.'),
  ),
  key_of_another_tool: warning('A key has no effect in the tool of the file', 'Write its own key, or remove it.'),
  front_matter_is_text: warning('Front matter has no effect in the file', 'Remove it, or move the text to a rule.'),
  value_not_understood: warning('The tool of the file does not understand a value'),
  rule_without_patterns: warning('A rule for certain files has no patterns', 'Write patterns.'),
  rule_for_no_file: warning('A rule is for files that do not exist', 'Correct it, or remove it.'),
  duplicate_rule: aboutFile(warning('One tool has the same rule twice')),
  contradicting_rules: aboutFile(warning('A rule applies differently in two tools', 'Say the same in both.')),
  drifted_copy: warning('Two copies have drifted apart', 'Make them equal, or replace one by the path of the other.'),
  broken_link: aboutFile(warning('A link leads to nothing that can be read', 'Correct it, or remove it.')),
  named_file_missing: warning('Settings name a file that does not exist', 'Correct the name, or remove it.'),
  name_not_used: warning('Settings name files in a way that is not used'),
  invalid_settings: aboutFile(warning('Settings that name files cannot be read')),
  import_not_found: warning('An imported file does not exist', 'Correct the path, or remove it.'),
  import_cycle: warning('Imports go round in a circle', 'Remove one of them.'),

  // Policies
  invalid_policy: error('The policy cannot be read'),
  invalid_policy_value: error('A value of the policy is invalid'),
  misspelled_policy_key: error('A key of the policy is misspelled'),
  policy_too_large: aboutFile(error('The policy is too large', 'Shorten it.')),
  policy_not_read: aboutFile(error('The policy cannot be opened', 'Put a readable, regular UTF-8 file there.')),
  misnamed_policy: aboutFile(error('A policy has a name under which it is not read')),
  unknown_policy_key: warning('A key of the policy is unknown'),
  policy_without_kind: warning('The policy says neither allow nor block'),
  blocked_by_policy: aboutFile(
    warning('A context file is blocked by a policy', 'Allow it there, or move the file out of the context directory.'),
  ),
  blocked_by_ignore_file: aboutFile(
    warning(
      'A context file is left out by an ignore file',
      'Remove it from the ignore file, or from the context directory.',
    ),
  ),
  ignore_file_not_read: aboutFile(
    error('An ignore file cannot be used', 'Fix it, or put a readable, regular UTF-8 file there.'),
  ),
  ignore_pattern_unused: warning('A line of an ignore file leaves nothing out', 'Fix or delete it.'),
  exception_not_below: warning('An exception of a policy is for one directory alone'),
  policy_twice: aboutFile(warning('A directory has two policies')),

  // The check itself
  more_warnings: error('There is more', 'Fix the listed ones, and check again.'),
  more_diagnostics: warning('There is more', 'Fix the listed ones, and check again.'),
  nothing_to_check: warning('There is nothing to check'),
  folder_not_checked: aboutFile(
    warning('A folder cannot be listed', 'Give the user who runs contextd permission to list it.'),
  ),
  limit_entries: warning('The tree is too large to check all of it', 'Check a part of it.'),
  limit_depth: warning('The tree is too deep to check all of it', 'Check a part of it.'),
  limit_walk_time: warning('Checking the whole tree took too long', 'Check a part of it.'),
  limit_policy_time: warning('Policies took too long', 'Check a part of the tree.'),
  limit_imports: warning('There are too many imports to follow them all', 'Check a part of the tree.'),
  limit_context_files: warning('There are too many context files to check them all', 'Check a part of the tree.'),
} as const satisfies Partial<Record<WarningCode, Rule>>;

/** The rule of a code. A code without a rule is a warning. */
export function ruleOf(code: WarningCode): Rule {
  return (
    (rules as Partial<Record<WarningCode, Rule>>)[code] ?? { severity: 'warning', title: code.replaceAll('_', ' ') }
  );
}
