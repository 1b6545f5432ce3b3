/** Which of two changes of one row wins, and in which order the records of a push are judged. */

/**
 * - APPLY: nobody else has changed the row, or the user wants to overwrite it.
 * - OVERWRITE: the row was changed earlier, and its state is lost.
 * - KEEP: the row was changed later or at the same time, and the pushed state is lost.
 */
export type Decision = 'APPLY' | 'OVERWRITE' | 'KEEP'

export function decide(
  record: { readonly baseVersion: number; readonly updatedAt: number },
  row: { readonly version: number; readonly updatedAt: number },
  { now, isForced }: { readonly now: number; readonly isForced: boolean },
): Decision {
  if (record.baseVersion === row.version || (isForced && record.baseVersion === 0)) return 'APPLY'
  // A clock that is ahead must not win against changes that come later.
  return Math.min(record.updatedAt, now) > row.updatedAt ? 'OVERWRITE' : 'KEEP'
}

/** A record of a push, as its order sees it. Keys stand for rows. */
export interface Ordered {
  /** The row, by each of its ids that is known. */
  readonly rows: readonly string[]
  /** A deletion. */
  readonly isDeletion: boolean
  readonly references: readonly Reference[]
}

export interface Reference {
  readonly field: string
  /** The row that is referred to, by each of its ids that is known. */
  readonly rows: readonly string[]
  /** The row was there before this push. */
  readonly isKnown: boolean
}

export interface Order {
  /** For each record, the records that must be judged before it. */
  readonly waitsFor: readonly ReadonlySet<number>[]
  /** For records that refer to each other in a circle: the field. */
  readonly circular: ReadonlyMap<number, string>
}

/**
 * Records of one row are judged in the order of the request. A record that refers to a row comes after the record that creates it, wherever
 * that is, and otherwise in the order of the request.
 */
export function orderOf(records: readonly Ordered[]): Order {
  const creators = new Map<string, number>()
  for (const [i, { rows, isDeletion }] of records.entries())
    if (!isDeletion) for (const key of rows) if (!creators.has(key)) creators.set(key, i)
  const lastWriters = new Map<string, number>()
  /** Records that refer to the row since its last writer. */
  const readers = new Map<string, number[]>()
  /** References to records that follow: only they can make circles. */
  const ahead: { readonly from: number; readonly to: number; readonly field: string }[] = []
  const waitsFor = records.map(({ rows, references }, i) => {
    const before = new Set<number>()
    for (const { field, rows: targets, isKnown } of references)
      for (const key of targets) {
        const writer = lastWriters.get(key)
        const creator = isKnown || writer !== undefined ? undefined : creators.get(key)
        if (writer !== undefined) before.add(writer)
        else if (creator !== undefined) {
          before.add(creator)
          ahead.push({ from: i, to: creator, field })
        }
        if (creator !== undefined) continue
        const others = readers.get(key)
        if (others === undefined) readers.set(key, [i])
        else others.push(i)
      }
    for (const key of rows) {
      const writer = lastWriters.get(key)
      if (writer !== undefined) before.add(writer)
      for (const reader of readers.get(key) ?? []) if (reader !== i) before.add(reader)
      readers.delete(key)
      lastWriters.set(key, i)
    }
    return before
  })
  const stuck = inCircles(waitsFor)
  const circular = new Map<number, string>()
  for (const { from, to, field } of ahead)
    if (stuck.has(from) && stuck.has(to)) {
      circular.set(from, field)
      waitsFor[from]!.delete(to)
    }
  return { waitsFor, circular }
}

/** Those that wait for themselves through others, or are between such. */
function inCircles(waitsFor: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  const left = new Set(waitsFor.keys())
  const waitedForBy = waitsFor.map((): number[] => [])
  for (const [i, before] of waitsFor.entries()) for (const other of before) waitedForBy[other]!.push(i)
  /** Removes all that no `to` that is left leads to. */
  const strip = (from: readonly Iterable<number>[], to: readonly Iterable<number>[]): void => {
    const counts = from.map((edges) => [...edges].filter((i) => left.has(i)).length)
    const free = [...left].filter((i) => counts[i] === 0)
    for (let i = free.pop(); i !== undefined; i = free.pop()) {
      left.delete(i)
      for (const next of to[i]!) if (--counts[next]! === 0) free.push(next)
    }
  }
  strip(
    waitsFor.map((before) => [...before]),
    waitedForBy,
  )
  strip(
    waitedForBy,
    waitsFor.map((before) => [...before]),
  )
  return left
}
