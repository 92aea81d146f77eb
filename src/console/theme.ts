import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const key = 'contextd-theme';
const stored = localStorage.getItem(key);

/** The colours. Stored in this browser. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(key, theme.value);
  });
}
