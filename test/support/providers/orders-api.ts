// An API of the usual kind: `POST /orders` with an Idempotency-Key, `GET /orders?key=…` for what became of it.

import { keyed } from './keyed.ts';
import type { ProviderApi } from './provider-server.ts';

export interface Order {
  readonly id: number;
  readonly key: string;
  readonly order: unknown;
}

export interface OrdersApi extends ProviderApi {
  readonly made: readonly Order[];
  readonly repeats: readonly string[];
  /** Whether 202 says that it is in progress; else it is not there before it is done. */
  showsProgress: boolean;
}

export function ordersApi(): OrdersApi {
  const made: Order[] = [];
  const keys = keyed();
  const api: OrdersApi = {
    made,
    repeats: keys.repeats,
    showsProgress: false,
    handle: (request, act) => {
      const { method, url, headers, body } = request;
      if (url.pathname !== '/orders') return null;
      if (method === 'POST') {
        const key = String(headers['idempotency-key']);
        return keys.do(key, act, () => {
          const order: Order = { id: made.length + 1, key, order: JSON.parse(body) as unknown };
          made.push(order);
          return { status: 201, body: order };
        });
      }
      const key = url.searchParams.get('key') ?? '';
      const found = made.find((order) => order.key === key);
      const isUnderWay = api.showsProgress && keys.isInProgress(key);
      return Promise.resolve({
        status: found === undefined ? (isUnderWay ? 202 : 404) : 200,
        body: found ?? {},
      });
    },
  };
  return api;
}
