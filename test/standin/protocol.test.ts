import { describe, expect, it } from 'vitest';
import { useFixture } from './launch.ts';

type Global = typeof globalThis & { violation?: string; ran?: boolean };

describe("what the app's own scheme serves", () => {
  const fixture = useFixture();

  const get = (path: string) =>
    fixture().page.evaluate(async (address) => {
      const response = await fetch(address);
      return [response.status, await response.text()] as const;
    }, path);

  it('is a secure context', async () => {
    expect(await fixture().page.evaluate(() => isSecureContext)).toBe(true);
  });

  it('is answered by the handler with the address as the app knows it', async () => {
    const [status, text] = await fixture().page.evaluate(async () => {
      const response = await fetch('/what', { method: 'POST', body: 'a body' });
      return [response.status, await response.text()] as const;
    });
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { pathname: '/what', host: 'fixture', method: 'POST', body: 'a body' },
    ]);
  });

  it.each(['/../../etc/passwd', '/%2e%2e%2f%2e%2e%2fetc%2fpasswd', '/..%5c..%5cetc/passwd'])(
    'reaches the handler with a path that tries to leave its root: %s',
    async (path) => {
      expect(await get(path)).toEqual([404, 'not here']);
    },
  );

  it('runs no script that the content security policy forbids', async () => {
    await fixture().page.evaluate(() => {
      const world = window as unknown as Global;
      document.addEventListener('securitypolicyviolation', (event) => {
        world.violation = `${event.effectiveDirective} ${event.blockedURI}`;
      });
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
    });
    await fixture().page.waitForFunction(() => (window as unknown as Global).violation !== undefined);
    expect(
      await fixture().page.evaluate(() => [(window as unknown as Global).violation, 'ran' in window]),
    ).toEqual(['script-src-elem inline', false]);
  });

  it('reaches no other host', async () => {
    const message = await fixture().page.evaluate(() => fetch('http://elsewhere.test/').then(String, String));
    expect(message).toContain('TypeError');
  });
});
