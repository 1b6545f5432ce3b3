/** The number of unsent scans of each user who has opened a gate, in localStorage, so that other pages need not open the database. */

const keyOf = (userId: number): string => `tessera.gates.${userId}`

export const writeUnsent = (userId: number, count: number): void => localStorage.setItem(keyOf(userId), String(count))

/** Undefined if this user has never scanned with this browser. */
export function readUnsent(userId: number): number | undefined {
  const count = localStorage.getItem(keyOf(userId))
  return count === null ? undefined : Number(count)
}
