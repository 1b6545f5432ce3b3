/**
 * Storage of the browser that never throws. Browsers refuse it in some private windows and while cookies are blocked, and when it is full.
 * Entries that were refused are kept in memory until the page is closed.
 */

export interface SafeStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
  /** Whether the browser refuses it altogether, so that nothing of the page before is known. */
  isRefused(): boolean
}

function safe(name: 'localStorage' | 'sessionStorage'): SafeStorage {
  const refused = new Map<string, string>()
  const attempt = <Result>(work: (storage: Storage) => Result): Result | null => {
    try {
      return work(window[name])
    } catch {
      return null
    }
  }
  return {
    getItem: (key) => refused.get(key) ?? attempt((storage) => storage.getItem(key)),
    setItem(key, value) {
      refused.delete(key)
      if (attempt((storage) => (storage.setItem(key, value), true)) === null) refused.set(key, value)
    },
    removeItem(key) {
      refused.delete(key)
      attempt((storage) => storage.removeItem(key))
    },
    isRefused: () => attempt((storage) => storage.length) === null,
  }
}

/** Shared by all tabs. */
export const storage = safe('localStorage')
/** Of this tab. */
export const tabStorage = safe('sessionStorage')
