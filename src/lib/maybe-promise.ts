/**
 * A result that is available immediately or later. Cached results are returned without a promise, which saves a turn of the event
 * loop.
 */
export type MaybePromise<T> = T | Promise<T>
