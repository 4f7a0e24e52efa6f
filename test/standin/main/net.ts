export const net = {
  fetch: (input: string | Request, init?: RequestInit): Promise<Response> => fetch(input, init),
  isOnline: (): boolean => true,
  online: true,
} satisfies Partial<Electron.Net>;
