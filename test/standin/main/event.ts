export interface Preventable {
  preventDefault(): void;
  readonly defaultPrevented: boolean;
}

/** An event as Electron hands it to listeners: `details` with a `preventDefault`. */
export function preventable<T extends object>(details: T): T & Preventable {
  let prevented = false;
  const event = Object.create(null, {
    ...Object.getOwnPropertyDescriptors(details),
    defaultPrevented: { get: () => prevented, enumerable: true },
    preventDefault: {
      value: () => {
        prevented = true;
      },
    },
  }) as T & Preventable;
  return event;
}
