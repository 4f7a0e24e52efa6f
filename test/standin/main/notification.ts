import { EventEmitter } from 'node:events';
import { record } from '../record.ts';
import { imageName } from './native-image.ts';
import { preventable } from './event.ts';

const shown: Notification[] = [];

type Kept = 'actions' | 'body' | 'close' | 'show' | 'silent' | 'subtitle' | 'title' | 'urgency';

export class Notification extends EventEmitter implements Record<Kept, unknown> {
  readonly options: Electron.NotificationConstructorOptions;
  title: string;
  subtitle: string;
  body: string;
  silent: boolean;
  urgency: string;
  actions: Electron.NotificationAction[];

  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super();
    this.options = options;
    this.title = options.title ?? '';
    this.subtitle = options.subtitle ?? '';
    this.body = options.body ?? '';
    this.silent = options.silent ?? false;
    this.urgency = options.urgency ?? 'normal';
    this.actions = options.actions ?? [];
  }

  static isSupported(): boolean {
    return true;
  }

  show(): void {
    const { icon, ...plain } = this.options;
    shown.push(this);
    record('notification', {
      ...plain,
      title: this.title,
      body: this.body,
      ...(icon !== undefined && { icon: imageName(icon) }),
    });
    this.emit('show', preventable({}));
  }

  close(): void {
    record('notification.closed', { title: this.title });
    this.emit('close', preventable({}));
  }
}

/** All that were ever shown, in order. */
export function shownNotifications(): readonly Notification[] {
  return shown;
}
