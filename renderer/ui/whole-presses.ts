/** What the keys press that press a button. */
const PRESSING: ReadonlySet<string> = new Set(['Enter', ' ']);

/**
 * A key counts where it went down, and nowhere else. An answer given by key gives the focus back before the key is up, and
 * the button that has it then would be pressed by the release, or by the key repeating: paused, and at once resumed. The
 * same goes for a key that went down in another window, such as the one that chooses a file.
 */
export function onlyWholePresses(page: Document): void {
  const pressed = new Map<string, EventTarget | null>();
  const isStray = ({ key, target }: KeyboardEvent): boolean =>
    PRESSING.has(key) && (!pressed.has(key) || pressed.get(key) !== target);

  page.addEventListener(
    'keydown',
    (event) => {
      if (!event.repeat) pressed.set(event.key, event.target);
      else if (isStray(event)) swallow(event);
    },
    { capture: true },
  );
  page.addEventListener(
    'keyup',
    (event) => {
      if (isStray(event)) swallow(event);
      pressed.delete(event.key);
    },
    { capture: true },
  );
  // What is released in another window is not heard of here.
  page.defaultView?.addEventListener('blur', () => pressed.clear());
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
