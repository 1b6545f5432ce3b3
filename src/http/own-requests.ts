/** Requests that a part of this server makes to the server itself: they pass everything that requests of clients pass. */

import type { Server } from 'bun'

import { perContext } from '#context'

import type { Handler } from './cors.ts'
import type { AnyEndpoint, Caller } from './endpoint.ts'

/** The endpoints that are mounted, and how they are called. Empty on servers without any. */
export const mounted = perContext(() => ({
  endpoints: [] as readonly AnyEndpoint[],
  answer: undefined as Handler | undefined,
}))

/** A server whose requests come from the address of `caller`, for requests that are made for it. */
export const serverFor = ({ ip }: Pick<Caller, 'ip'>): Server<unknown> =>
  ({
    requestIP: () => ({ address: ip, port: 0, family: ip.includes(':') ? 'IPv6' : 'IPv4' }),
    timeout() {},
  }) as unknown as Server<unknown>
