import { Panel } from '../../elements/panel.tsx';

export function SessionsView() {
  return <Panel title="Sessions">…</Panel>;
}
