/** Inputs that call the server only when the user has stopped typing. */

import { useEffect, useState } from 'react'

/** The value after it has not changed for so many milliseconds. */
export function useSettled<T>(value: T, pause = 300): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause)
    return () => clearTimeout(timer)
  }, [value, pause])
  return settled
}
