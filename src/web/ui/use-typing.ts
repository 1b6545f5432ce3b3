/** The text of a field, reported when the user pauses, so that the server is not called at each key. */

import { useEffect, useEffectEvent, useState } from 'react'

/** Milliseconds after the last key. */
const PAUSE = 300

/**
 * `value` is the text that was reported last. If something other than typing changes it, the field follows. `report` gets the text
 * trimmed.
 */
export function useTyping(
  value: string,
  report: (text: string) => void,
): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  const [reported, setReported] = useState(value)
  const pass = useEffectEvent((text: string) => {
    setReported(text)
    report(text)
  })
  useEffect(() => {
    const text = typed.trim()
    if (text === reported) return
    const timer = setTimeout(() => pass(text), PAUSE)
    return () => clearTimeout(timer)
  }, [typed, reported])
  if (value !== seen) {
    setSeen(value)
    // Otherwise it is the text that was reported here, and the user may have gone on typing.
    if (value !== reported) {
      setTyped(value)
      setReported(value)
    }
  }
  return [typed, setTyped]
}
