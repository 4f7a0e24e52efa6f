import '@blueprintjs/core/lib/css/blueprint.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/index.css';
import { createRoot } from 'react-dom/client';
import type { Bridge } from '../core/contract/client.ts';
import { BRIDGE } from '../core/contract/names.ts';
import { App } from './app/app.tsx';
import { browserEnvironment } from './client/browser-environment.ts';
import { followSystemTheme } from './app/theme.ts';
import { createConsole } from './stores/console.ts';
import { copyWhole } from './ui/copy.ts';
import { onlyWholePresses } from './ui/whole-presses.ts';

const bridge = (window as unknown as Readonly<Record<string, Bridge | undefined>>)[BRIDGE];
const root = document.querySelector('#root');

followSystemTheme(document, window);
copyWhole(document);
onlyWholePresses(document);
if (root !== null) {
  createRoot(root).render(
    bridge === undefined ? (
      <p className="hf-crash">This page is a part of Holdfast and shows nothing outside of its window.</p>
    ) : (
      <App console={createConsole(browserEnvironment(bridge, window))} />
    ),
  );
}
