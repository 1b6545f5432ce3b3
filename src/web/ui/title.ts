/** The title of the page in the browser's tab and history. */

import { useEffect } from 'react'

import { site } from '../browser/site.ts'

const NAME = site.name

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? NAME : `${title} · ${NAME}`
    return () => {
      document.title = NAME
    }
  }, [title])
}
