/** The only source of time. Tests replace it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The time zone of the machine, or that of the variable `TZ`: an IANA name. */
export const serverZone = (): string => Temporal.Now.timeZoneId()
