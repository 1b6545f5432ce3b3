/** Parts of the application that are loaded when they are first shown. */

import { type ComponentType, useEffect, useState } from 'react'

import { PageSkeleton } from './PageSkeleton.tsx'

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
    Loaded = (await load()).default
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
