/** The number of unsent scans of each user who has opened a gate, in localStorage, so that other pages need not open the database. */

import { storage } from '../../../browser/storage.ts'

const keyOf = (userId: number): string => `tessera.gates.${userId}`

export const writeUnsent = (userId: number, count: number): void => storage.setItem(keyOf(userId), String(count))

/** Undefined if this user has never scanned with this browser. */
export function readUnsent(userId: number): number | undefined {
  const count = storage.getItem(keyOf(userId))
  return count === null ? undefined : Number(count)
}
