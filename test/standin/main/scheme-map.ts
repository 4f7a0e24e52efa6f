// Chromium outside Electron knows no schemes of an app, so `app://console/x` travels as
// `http://console.app.localhost/x`: a secure context whose requests are answered here and never leave.

const HOST = /^http:\/\/([^/?#]+?)\.([a-z][a-z0-9+-]*)\.localhost(?::\d+)?(?=[/?#]|$)/i;

/** The address that Chromium is given. */
export function toChromium(url: string, schemes: ReadonlySet<string>): string {
  const [, scheme, host, rest] = /^([a-z][a-z0-9+-]*):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined || !schemes.has(scheme.toLowerCase())) return url;
  return `http://${host}.${scheme.toLowerCase()}.localhost${rest === '' ? '/' : rest}`;
}

/** The address that the app is told. */
export function toApp(url: string, schemes: ReadonlySet<string>): string {
  const [whole, host, scheme] = HOST.exec(url) ?? [];
  if (whole === undefined || !schemes.has(scheme!.toLowerCase())) return url;
  return `${scheme!.toLowerCase()}://${host}${url.slice(whole.length)}`;
}

/** Like `app://console`, also for schemes of which Node says `null`. */
export function originOf(url: string): string {
  if (!URL.canParse(url)) return 'null';
  const { origin, protocol, host } = new URL(url);
  return origin === 'null' && host !== '' ? `${protocol}//${host}` : origin;
}

/** A header that names addresses of the app, as Chromium must read it. */
export function headerToChromium(name: string, value: string, schemes: ReadonlySet<string>): string {
  if (name.toLowerCase() === 'location') return toChromium(value, schemes);
  if (!name.toLowerCase().startsWith('content-security-policy')) return value;
  return value
    .split(/([\s;]+)/)
    .map((source) => {
      const [, scheme, host] = /^([a-z][a-z0-9+-]*):(?:\/\/([^/]*))?$/i.exec(source) ?? [];
      if (scheme === undefined || !schemes.has(scheme)) return source;
      return `http://${host ?? '*'}.${scheme}.localhost`;
    })
    .join('');
}
