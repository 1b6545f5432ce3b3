import type { AppContext } from '#context'
import { ownAddresses } from '#http/addresses.ts'
import { addressOf } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { deviceOf, firstLanguage } from '#lib/visitor.ts'

import { isOptedOut, referrerOf, type Visit } from './visits.rules.ts'

/** The visit that a request is. `known`: facts that the caller needs itself to lead it. */
export function visitOf(
  ctx: AppContext,
  request: Request,
  { ip, userAgent }: Pick<Caller, 'ip' | 'userAgent'>,
  known: Pick<Visit, 'isRobot' | 'country' | 'rule'>,
): Visit {
  const { headers } = request
  return {
    ...known,
    isOptedOut: isOptedOut(headers),
    ip,
    userAgent,
    device: deviceOf(userAgent),
    language: firstLanguage(headers.get('accept-language')),
    referrer: referrerOf(headers.get('referer'), (host) => isOwn(ctx, request, host)),
  }
}

/** Short links may be at an address of their own, to which the request was sent then. */
const isOwn = (ctx: AppContext, request: Request, host: string): boolean =>
  addressOf(request).hostname === host || ownAddresses(ctx).some((address) => URL.parse(address)?.hostname === host)
