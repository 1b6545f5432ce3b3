/** The command palette. Its code is loaded when the browser has nothing else to do, at the latest when it is opened. */

import { type ComponentType, useEffect, useState } from 'react'

import { notify } from '../browser/notices.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { closePalette, usePaletteIsOpen } from './palette-state.ts'

const words = texts({
  en: { failed: 'The search could not be loaded. Check your connection and try again.' },
  zh: { failed: '搜索无法加载，请检查网络后重试。' },
})

/** Milliseconds after the frame was drawn, for browsers that do not say when they are idle. */
const PAUSE = 3_000

export function PaletteHost() {
  const t = useTexts(words)
  const isOpen = usePaletteIsOpen()
  const [Root, setRoot] = useState<ComponentType>()
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      if ('requestIdleCallback' in window) requestIdleCallback(() => setIdle(true))
      else setIdle(true)
    }, PAUSE)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (Root !== undefined || !(isOpen || isIdle)) return
    import('./palette/Root.tsx').then(
      (loaded) => setRoot(() => loaded.default),
      () => {
        if (!isOpen) return
        closePalette()
        notify(t.failed, 'error')
      },
    )
  }, [Root, isOpen, isIdle, t])
  // The next user of this browser begins with a closed one.
  useEffect(() => closePalette, [])
  return Root && <Root />
}
