/** The page to show after the sign-in: the one that needed it. The pages before the sign-in hand it on to each other. */

import { useLocation } from 'react-router'

/** Kept in the browser's history, so that no link from elsewhere can choose it. */
export interface Target {
  readonly nextPathname?: string
  readonly nextSearch?: string
  /** With `#`. */
  readonly nextHash?: string
}

/** `state`: for links to other pages before the sign-in. `target`: a path below `/console`. */
export function useTarget(): { readonly state: Target | null; readonly target: string } {
  const { state } = useLocation() as { state: Target | null }
  // The router refuses paths with two slashes at the start, which name another server.
  const path = (state?.nextPathname ?? '/').replace(/^[/\\]+/, '/')
  return { state, target: path + (state?.nextSearch ?? '') + (state?.nextHash ?? '') }
}

/** The code of the organization whose link to join the visitor has opened. */
export function useInvitation(): string | undefined {
  const { state } = useTarget()
  if (state?.nextPathname !== '/join') return undefined
  return new URLSearchParams(state.nextSearch).get('code') ?? undefined
}

/** The token of the invitation by mail whose link the visitor has opened. */
export function useMailInvitation(): string | undefined {
  const { state } = useTarget()
  return state?.nextPathname === '/invited' ? state.nextHash?.slice(1) || undefined : undefined
}
