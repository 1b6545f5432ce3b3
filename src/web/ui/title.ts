/** The title of the page in the browser's tab and history. */

import { useEffect } from 'react'

const NAME = 'Tessera'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? NAME : `${title} · ${NAME}`
    return () => {
      document.title = NAME
    }
  }, [title])
}
