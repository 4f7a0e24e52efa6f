import { Notification } from 'electron';

export interface Told {
  readonly title: string;
  readonly body: string;
}

/** Kept until they are gone: one that is collected forgets its click. */
const showing = new Set<Notification>();

/** Tells the person at the desk something; `clicked` when they want to see it. False: this system shows none. */
export function notify(told: Told, clicked: () => void): boolean {
  if (!Notification.isSupported()) return false;
  const notification = new Notification({ ...told, urgency: 'normal' });
  const done = (): void => {
    showing.delete(notification);
  };
  notification.on('click', () => {
    clicked();
    done();
  });
  notification.on('close', done);
  // An unsigned build on macOS may show none. The tray and the console say the same.
  notification.on('failed', done);
  showing.add(notification);
  notification.show();
  return true;
}
