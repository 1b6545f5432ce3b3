/** The entries of the menu that a user has put into the bar at the bottom of phones. The browser keeps them for each user. */

import type { MenuItem } from '../areas/area.ts'
import { stored } from '../browser/stored.ts'
import { useOptionalSession } from '../session/session.ts'
import { useSections } from './navigation.ts'

/** Beside the button of the menu. */
export const PLACES = 4

/** Used while walking. Users who may not open one of them get the next entry of the menu in its place. */
const USUAL = ['/codes', '/activities', '/scan', '/chats']

/** Paths in their order, by the ids of users. */
const bars = stored<Readonly<Record<string, readonly string[]>>>('tessera.bar', {})

export interface PhoneBar {
  readonly items: readonly MenuItem[]
  /** All entries that the user may open. */
  readonly all: readonly MenuItem[]
  /** Undefined: the usual ones. */
  readonly choose: (paths: readonly string[] | undefined) => void
}

export function usePhoneBar(): PhoneBar {
  const all = useSections(false).flatMap(({ items }) => items)
  const user = useOptionalSession()?.user.id ?? 0
  const chosen = bars.use()[user]
  const usual = new Set([...USUAL, ...all.map(({ to }) => to)])
  const paths = chosen ?? usual
  return {
    all,
    items: [...paths].flatMap((path) => all.find(({ to }) => to === path) ?? []).slice(0, PLACES),
    choose(next) {
      const { [user]: _, ...others } = bars.get()
      bars.set(next === undefined ? others : { ...others, [user]: next })
    },
  }
}
