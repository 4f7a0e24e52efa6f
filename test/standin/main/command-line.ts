/** The switches of the command line. Chromium has started by the time the app can add one: they are kept, not passed on. */
export class CommandLine implements Electron.CommandLine {
  readonly #switches = new Map<string, string>();

  constructor(argv: readonly string[]) {
    for (const argument of argv) {
      const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
      if (name !== undefined) this.#switches.set(name, value ?? '');
    }
  }

  appendSwitch(name: string, value = ''): void {
    this.#switches.set(name, value);
  }

  appendArgument(value: string): void {
    this.#switches.set(value, '');
  }

  hasSwitch(name: string): boolean {
    return this.#switches.has(name);
  }

  getSwitchValue(name: string): string {
    return this.#switches.get(name) ?? '';
  }

  removeSwitch(name: string): void {
    this.#switches.delete(name);
  }
}
