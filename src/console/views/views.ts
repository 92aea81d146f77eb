/** The views, in navigation order. Each is loaded when it is first opened. */
import { Cable, FileText, Gauge, type IconNode, Layers, MessagesSquare, Search, ShieldCheck } from 'lucide';
import type { ComponentType } from 'preact';

type View = {
  name: string;
  title: string;
  icon: IconNode;
  /** The second key of the shortcut `g …`. */
  key: string;
  load: () => Promise<ComponentType>;
};

export const views: readonly View[] = [
  {
    name: 'workspace',
    title: 'Workspace',
    icon: Layers,
    key: 'w',
    load: async () => (await import('./workspace/workspace-view.tsx')).WorkspaceView,
  },
  {
    name: 'supplementary',
    title: 'Supplementary',
    icon: FileText,
    key: 's',
    load: async () => (await import('./supplementary/supplementary-view.tsx')).SupplementaryView,
  },
  {
    name: 'policy',
    title: 'Policy',
    icon: ShieldCheck,
    key: 'p',
    load: async () => (await import('./policy/policy-view.tsx')).PolicyView,
  },
  {
    name: 'sessions',
    title: 'Sessions',
    icon: MessagesSquare,
    key: 'e',
    load: async () => (await import('./sessions/sessions-view.tsx')).SessionsView,
  },
  {
    name: 'search',
    title: 'Search',
    icon: Search,
    key: 'f',
    load: async () => (await import('./search/search-view.tsx')).SearchView,
  },
  {
    name: 'servers',
    title: 'Servers',
    icon: Cable,
    key: 'm',
    load: async () => (await import('./servers/servers-view.tsx')).ServersView,
  },
  {
    name: 'status',
    title: 'Status',
    icon: Gauge,
    key: 't',
    load: async () => (await import('./status/status-view.tsx')).StatusView,
  },
];
