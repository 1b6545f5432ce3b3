/**
 * Handheld scanners (USB or Bluetooth) that act as a keyboard: they type the content of a code much faster than people and end with Enter.
 * Their input is taken away from the page, except from fields in which somebody types.
 */

import { useEffect, useRef } from 'react'

/** Longest pause between two keys of a scanner, in milliseconds. People need 80 and more. */
const FASTEST_PERSON = 50
/** Shorter inputs are ordinary key strokes. */
const SHORTEST = 3

/** Calls `onCode` with each scanned text while the component is shown. */
export function useHandheldScanner(onCode: (text: string) => void, isEnabled = true): void {
  const report = useRef(onCode)
  useEffect(() => {
    report.current = onCode
  }, [onCode])
  useEffect(() => {
    if (!isEnabled) return
    let typed = ''
    let last = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
      const isFast = event.timeStamp - last <= FASTEST_PERSON
      last = event.timeStamp
      if (event.key === 'Enter') {
        const text = typed
        typed = ''
        if (!isFast || text.length < SHORTEST) return
        event.preventDefault()
        event.stopPropagation()
        report.current(text)
        return
      }
      if (event.key.length !== 1) return
      typed = isFast ? typed + event.key : event.key
      // Otherwise the keys would be taken for shortcuts of the web application.
      if (isFast) {
        event.preventDefault()
        event.stopPropagation()
      }
    }
    // Before the handlers of buttons and shortcuts.
    document.addEventListener('keydown', onKey, { capture: true })
    return () => document.removeEventListener('keydown', onKey, { capture: true })
  }, [isEnabled])
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
