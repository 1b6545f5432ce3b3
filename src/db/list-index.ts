/**
 * Index of one list in one order: the list is cut into segments, and each segment records the key of its first row and its row count.
 * From this follow the number of rows and, for any position, a nearby key to start reading at. Pure bookkeeping: lists.ts reads the
 * keys from the database. An insertion or deletion changes the count of the segment that its key belongs to, so the index stays exact
 * without reading again.
 */

/** The values of the columns that a list is sorted by. All keys of a list have the same length and types. */
export type Key = readonly (number | string)[]

/**
 * A position in the order: a section, and a key in it (undefined: the start of the section). A list has two sections when its order
 * begins with a boolean column: 0 holds the rows where it is true, 1 the others. Otherwise it has section 0 only.
 */
export interface Place {
  readonly section: number
  readonly key: Key | undefined
}

interface Segment extends Place {
  count: number
}

/** Instruction to read `take` rows from `place` on, after skipping `skip`. */
export interface Slice {
  readonly place: Place
  readonly skip: number
  readonly take: number
}

export class ListIndex {
  /** Changes no longer reach this index, so it must not be used. */
  discarded = false
  readonly #segments: Segment[] = []
  #frontier: Place = { section: 0, key: undefined }
  #segmentsWhenBuilt = 0
  /** Rows before each segment, followed by the total. Computed on demand. */
  #offsets: number[] | undefined

  constructor(readonly sections: number) {}

  get isComplete(): boolean {
    return this.#frontier.section === this.sections
  }

  /** While the index is being built: rows before this place are counted, the others not yet. */
  get frontier(): Place {
    return this.#frontier
  }

  /** Number of segments, a measure of the memory used. */
  get size(): number {
    return this.#segments.length
  }

  /** More than twice as many segments as when built: it should be rebuilt, because the cache counts the size it had then. */
  get isOvergrown(): boolean {
    return this.size > 2 * this.#segmentsWhenBuilt + 16
  }

  get total(): number {
    return this.#sums().at(-1)!
  }

  /** Building: there are `count` rows between the frontier and `key`, which becomes the frontier. */
  addSegment(count: number, key: Key): void {
    this.#push(count)
    this.#frontier = { section: this.#frontier.section, key }
  }

  /** Building: there are `count` rows between the frontier and the end of its section. */
  endSection(count: number): void {
    this.#push(count)
    this.#frontier = { section: this.#frontier.section + 1, key: undefined }
    if (this.isComplete) this.#segmentsWhenBuilt = this.size
  }

  #push(count: number): void {
    this.#segments.push({ ...this.#frontier, count })
    this.#offsets = undefined
  }

  /** A row was inserted (`by` 1) or deleted (`by` -1) at this place. */
  change(place: Place, by: 1 | -1): void {
    // Rows behind the frontier will be counted when the builder reads them.
    if (!this.isComplete && comparePlaces(place, this.#frontier) >= 0) return
    const i = this.#segmentAt(place)
    const segment = this.#segments[i]!
    segment.count += by
    this.#offsets = undefined
    // A list that shrinks at one end and grows at the other would otherwise collect empty segments.
    if (segment.count === 0 && this.#segments[i - 1]?.section === segment.section) this.#segments.splice(i, 1)
  }

  /** How to read the rows at the positions from `start` to just before `end`: one slice for each section involved. */
  slices(start: number, end: number): Slice[] {
    const offsets = this.#sums()
    const slices: Slice[] = []
    const last = Math.min(end, offsets.at(-1)!)
    let at = start
    for (let i = this.#segmentOf(start); at < last;) {
      const { section, key } = this.#segments[i]!
      let next = i + 1
      while (this.#segments[next]?.section === section) next++
      const take = Math.min(last, offsets[next]!) - at
      if (take > 0) slices.push({ place: { section, key }, skip: at - offsets[i]!, take })
      at += take
      i = next
    }
    return slices
  }

  /** The start of the segment that holds this position, if that segment has more than `limit` rows. */
  longSegmentAt(position: number, limit: number): Place | undefined {
    const segment = this.#segments[this.#segmentOf(position)]
    return segment && segment.count > limit ? segment : undefined
  }

  /** Splits the segment that starts at `place`: its first `count` rows come before `key`. */
  split(place: Place, count: number, key: Key): void {
    const i = this.#segmentAt(place)
    const segment = this.#segments[i]!
    this.#segments.splice(i + 1, 0, { section: segment.section, key, count: segment.count - count })
    segment.count = count
    this.#offsets = undefined
  }

  #sums(): number[] {
    if (this.#offsets === undefined) {
      let sum = 0
      this.#offsets = [0]
      for (const { count } of this.#segments) this.#offsets.push((sum += count))
    }
    return this.#offsets
  }

  /** The last segment with at most `position` rows before it. */
  #segmentOf(position: number): number {
    const offsets = this.#sums()
    return lastWhere(this.#segments.length, (i) => offsets[i]! <= position)
  }

  /** The last segment that starts at or before `place`. */
  #segmentAt(place: Place): number {
    return lastWhere(this.#segments.length, (i) => comparePlaces(this.#segments[i]!, place) <= 0)
  }
}

function comparePlaces(a: Place, b: Place): number {
  if (a.section !== b.section) return a.section - b.section
  if (a.key === undefined || b.key === undefined) return Number(a.key !== undefined) - Number(b.key !== undefined)
  return compareKeys(a.key, b.key)
}

/** The order of SQLite: numbers by value, texts by their UTF-8 bytes. (JavaScript's `<` compares UTF-16 units, which differs beyond U+FFFF.) */
export function compareKeys(a: Key, b: Key): number {
  for (const [i, left] of a.entries()) {
    const right = b[i]!
    if (left === right) continue
    if (typeof left === 'number') return left - (right as number)
    return Buffer.compare(Buffer.from(left), Buffer.from(right as string))
  }
  return 0
}

/** The last index below `length` for which `holds` is true; `holds` is true for 0 and never true again after the first false. */
function lastWhere(length: number, holds: (i: number) => boolean): number {
  let low = 0
  let high = length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
