/** Parts of the application that are loaded when they are first shown. */

import { type ComponentType, useEffect, useState } from 'react'

import { PageSkeleton } from './PageSkeleton.tsx'

/** Milliseconds for which the error of a part is held back while the page is left: as long as the next page may take. */
const LEAVING = 20_000

/**
 * Firefox ends the requests of a page as soon as the user leaves it, although the next page may come seconds later. An error in between would
 * reload this page (PageError.tsx), and the next one would never be opened.
 */
async function unlessLeft<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  let isLeft = false
  const leave = () => {
    isLeft = true
  }
  addEventListener('beforeunload', leave)
  try {
    return await load()
  } catch (error) {
    if (isLeft) await new Promise((resolve) => setTimeout(resolve, LEAVING))
    throw error
  } finally {
    removeEventListener('beforeunload', leave)
  }
}

/**
 * A component from a file that is loaded when it is first shown: `part(() => import('./CodeList.tsx'))`. The placeholder is shown until
 * then, by default the shape of a page. A part that cannot be loaded throws the error of its import().
 *
 * `lazy` with `Suspense` would be shorter, but React shows the content that follows a placeholder 300 ms after it at the earliest.
 */
export function part<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Placeholder: ComponentType = PageSkeleton,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  async function keep(): Promise<void> {
    Loaded = (await unlessLeft(load)).default
  }
  return function Part(props: Props) {
    const [outcome, setOutcome] = useState<{ error?: unknown } | undefined>(Loaded && {})
    useEffect(() => {
      if (outcome === undefined)
        keep()
          .then(() => setOutcome({}))
          .catch((error: unknown) => setOutcome({ error }))
    }, [outcome])
    if (outcome === undefined) return <Placeholder />
    if (Loaded === undefined) throw outcome.error
    return <Loaded {...props} />
  }
}

/** The placeholder of a part that comes as an addition, for example a dialog. */
export const Nothing = (): null => null
