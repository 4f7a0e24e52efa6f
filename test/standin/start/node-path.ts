/** Of the Node that runs this, while `process.execPath` becomes the stand-in's own, as it is Electron's in Electron. */
export const nodePath = process.execPath;
