import { LogOut, Monitor, Moon, Sun } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../api/events.ts';
import { signOut } from '../api/sign-in.ts';
import { IconButton } from '../elements/button.tsx';
import { Icon } from '../elements/icon.tsx';
import { attempt } from '../elements/toasts.tsx';
import { addressOf, route } from '../route.ts';
import { type Theme, theme } from '../theme.ts';
import { views } from '../views/views.ts';

const nextTheme: Record<Theme, { next: Theme; icon: typeof Sun; label: string }> = {
  system: { next: 'light', icon: Monitor, label: 'Colours: as the system. Change to light' },
  light: { next: 'dark', icon: Sun, label: 'Colours: light. Change to dark' },
  dark: { next: 'system', icon: Moon, label: 'Colours: dark. Change to as the system' },
};

export function Navigation() {
  const { view: current } = route.value;
  const { next, icon, label } = nextTheme[theme.value];
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // On small pages the views are in a row that is wider than the page.
    const item = list.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (list.current && item) list.current.scrollLeft = item.offsetLeft - list.current.offsetLeft - 40;
  }, [current]);
  return (
    <nav class="navigation" aria-label="Views">
      <a class="brand" href={addressOf('workspace')}>
        contextd
      </a>
      <ul ref={list}>
        {views.map((view) => (
          <li key={view.name}>
            <a href={addressOf(view.name)} aria-current={view.name === current ? 'page' : undefined}>
              <Icon icon={view.icon} />
              <span>{view.title}</span>
              <kbd>g {view.key}</kbd>
            </a>
          </li>
        ))}
      </ul>
      <div class="navigation-foot">
        <span class={`connection connection-${connection.value}`}>{connectionWords[connection.value]}</span>
        <IconButton
          icon={icon}
          label={label}
          onClick={() => {
            theme.value = next;
          }}
        />
        <IconButton icon={LogOut} label="Sign out" onClick={() => void attempt(signOut)} />
      </div>
    </nav>
  );
}

const connectionWords = {
  connecting: 'Connecting',
  connected: 'Connected',
  lost: 'Not connected',
  moved: 'Not connected',
} as const;
