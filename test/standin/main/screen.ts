import { EventEmitter } from 'node:events';

const AREA = { x: 0, y: 0, width: 1920, height: 1080 };

const DISPLAY = {
  id: 1,
  label: 'stand-in',
  bounds: AREA,
  workArea: AREA,
  size: { width: AREA.width, height: AREA.height },
  workAreaSize: { width: AREA.width, height: AREA.height },
  scaleFactor: 1,
  rotation: 0,
  internal: false,
};

class Screen extends EventEmitter {
  getPrimaryDisplay(): Partial<Electron.Display> {
    return DISPLAY;
  }

  getAllDisplays(): Partial<Electron.Display>[] {
    return [DISPLAY];
  }

  getDisplayMatching(): Partial<Electron.Display> {
    return DISPLAY;
  }

  getDisplayNearestPoint(): Partial<Electron.Display> {
    return DISPLAY;
  }

  getCursorScreenPoint(): Electron.Point {
    return { x: 0, y: 0 };
  }
}

export const screen = new Screen();
