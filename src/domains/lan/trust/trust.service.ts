/** The contents of the pages about trust: the authority, and the addresses at which the visitor reaches this server. */

import { isLoopback } from '#config/gateways.ts'
import type { AppContext } from '#context'
import { addressOf } from '#http/caller.ts'
import { notFound } from '#http/errors.ts'
import { hostOf } from '#lib/host-name.ts'

import { trustUrl } from '../authority/authority.rules.ts'
import { type AuthorityState, authorityState } from '../authority/authority.service.ts'

/** @throws AppError 404 if this server has no certificates of an authority of its own. */
export function authorityOf(ctx: AppContext): AuthorityState {
  const state = authorityState(ctx)
  if (state === undefined) throw notFound()
  return state
}

export interface Trust extends AuthorityState {
  /** The visitor has opened the page over https. */
  readonly isSecure: boolean
  /** `https://host:port` */
  readonly httpsOrigin: string
  /** The address of the page, over plain http if this server has a port for it. */
  readonly pageUrl: string
}

/** Hosts that are not names of the certificate are not repeated: the public address stands for them. */
export function trustOf(ctx: AppContext, request: Request): Trust {
  const { config } = ctx
  const state = authorityOf(ctx)
  const { names } = state.certificate
  const visited = addressOf(request)
  const isSecure = request.url.startsWith('https:')
  const isKnown = [...names.dns, ...names.addresses].includes(hostOf(visited.href))
  const https = new URL(config.publicUrl)
  if (isKnown) https.hostname = visited.hostname
  // Other devices cannot reach this machine by a loopback address. A port may be mapped to another one, so that of the visitor is best.
  const isShown = isKnown && !isLoopback(visited.hostname)
  const httpPort = isSecure ? config.httpPort : Number(visited.port || 80)
  const pageUrl = trustUrl({ ...config, httpPort }, isShown ? visited.hostname : undefined)
  return { ...state, isSecure, httpsOrigin: https.origin, pageUrl }
}
