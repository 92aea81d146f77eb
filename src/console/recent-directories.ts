import { signal } from '@preact/signals';

const key = 'contextd-directories';
const kept = 12;

function stored(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, kept) : [];
  } catch {
    return [];
  }
}

/** Mounted directories that were chosen in this browser, newest first. */
export const recentDirectories = signal<readonly string[]>(stored());

export function rememberDirectory(path: string): void {
  recentDirectories.value = [path, ...recentDirectories.peek().filter((each) => each !== path)].slice(0, kept);
  localStorage.setItem(key, JSON.stringify(recentDirectories.value));
}
