/** Reasons why something is not read, in words for people. */

/** The reasons, as parts of a sentence. */
export const refusalWords: Readonly<Record<string, string>> = {
  symlink: 'it is a symbolic link, which is not followed',
  not_regular_file: 'it is not a regular file',
  not_directory: 'it is not a directory',
  unreadable: 'it cannot be read (permissions)',
  undecodable_name: 'its name is not valid UTF-8',
  outside_roots: 'it lies outside the granted roots',
  pseudo_file: 'it belongs to the kernel',
  not_found: 'it disappeared while it was read',
  io_error: 'reading it failed',
  binary: 'it is not text',
  invalid_utf8: 'it is not UTF-8 text',
  sensitive: 'it is a sensitive file',
  configuration: 'it is a configuration, which is never delivered',
  blocked_by_policy: 'a policy blocks it',
  blocked_by_ignore_file: 'an ignore file leaves it out',
};

/** Of links that lead to no file that may be read, so that it makes no difference whether they are followed. */
export const linkWords = {
  nowhere: 'it is a symbolic link that leads to nothing that can be read',
  noFile: 'it is a symbolic link that leads to no file',
  away: 'It is a symbolic link, or behind one, that leads outside the granted roots, or to nothing.',
} as const;
const ofLinks: readonly (string | undefined)[] = Object.values(linkWords);

/** Whether something is left out because a link is not followed. Then `howToFollow` helps. */
export function isUnfollowed({ code, detail }: { code: string; detail?: string | undefined }): boolean {
  return code === 'symlink' && !ofLinks.includes(detail);
}

/** What a user can do about a link that is not followed. */
export const howToFollow =
  'To follow links whose target is in a granted root, use --follow-symlinks of "contextd serve", or set CONTEXTD_FOLLOW_SYMLINKS=true.';

const shown = { pseudo_file: 'not_regular_file', not_directory: 'not_regular_file', io_error: 'unreadable' } as const;

/** The name of a refusal in answers. */
export function shownRefusal<Code extends string>(
  code: Code,
): Exclude<Code, keyof typeof shown> | (typeof shown)[keyof typeof shown] {
  return code in shown ? shown[code as string as keyof typeof shown] : (code as Exclude<Code, keyof typeof shown>);
}
