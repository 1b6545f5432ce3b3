/**
 * The time of the server. The clock of a phone may be wrong by days, and then a gate would refuse valid passes and a page would hide a
 * registration that is open.
 */

/** Milliseconds. Smaller differences are those of the network. */
const TOLERANCE = 60_000

let difference = 0

/** Called with the time that the server has now. */
export function setServerTime(time: number): void {
  const found = time - Date.now()
  difference = Math.abs(found) < TOLERANCE ? 0 : found
}

/** Epoch milliseconds. As long as the server has not answered, the time of the device. */
export const serverTime = (): number => Date.now() + difference
