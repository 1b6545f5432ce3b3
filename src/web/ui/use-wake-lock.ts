/** Keeps the screen on while something is shown that other devices scan, or while the camera waits for codes. */

import { useEffect } from 'react'

/** Older browsers have no wake lock, and those that have it refuse it when the battery is low: the screen turns off as usual then. */
export function useWakeLock(isOn = true): void {
  useEffect(() => {
    if (!isOn || !('wakeLock' in navigator)) return
    let isGone = false
    let held: WakeLockSentinel | undefined
    const request = async () => {
      // The browser releases the lock when the page is hidden.
      if (document.hidden || (held !== undefined && !held.released)) return
      const lock = await navigator.wakeLock.request('screen').catch(() => undefined)
      if (isGone) return void lock?.release()
      held = lock
    }
    const onVisible = () => void request()
    void request()
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isGone = true
      document.removeEventListener('visibilitychange', onVisible)
      void held?.release()
    }
  }, [isOn])
}
