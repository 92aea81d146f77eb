import { Panel } from '../../elements/panel.tsx';

export function SearchView() {
  return <Panel title="Search">…</Panel>;
}
