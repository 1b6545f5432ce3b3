/**
 * Where the rows of one list stand: the list cut into stretches, each with the key of its first place and the number of its rows.
 * Pure bookkeeping for lists.ts, which reads the keys. Rows that come or go change the count of the stretch that their key falls
 * into, so the map stays exact without being read again.
 */

/** A place in the list's order: pinned rows first, then by key. */
export interface Place {
  readonly pinned: boolean
  readonly key: readonly number[]
}

interface Stretch extends Place {
  count: number
}

/** So many rows, `skip` rows after `place`. */
export interface Piece {
  readonly place: Place
  readonly skip: number
  readonly take: number
}

export class ListMap {
  /** No longer told of changes: must not be used. */
  dropped = false
  #complete = false
  #frontier: Place
  readonly #stretches: Stretch[] = []
  #placesWhenMade = 0
  /** Rows before each stretch, and at the end the total; made when asked for. */
  #before: number[] | undefined

  /** `pins`: the list has pinned rows. `width`: numbers in a key. `descending`: higher keys come first. */
  constructor(
    pins: boolean,
    readonly width: number,
    readonly descending: boolean,
  ) {
    this.#frontier = this.#firstOf(pins)
  }

  /** The place before all rows of a group. */
  #firstOf(pinned: boolean): Place {
    const key = new Array<number>(this.width).fill(this.descending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER)
    return { pinned, key }
  }

  get complete(): boolean {
    return this.#complete
  }

  /** While the map is being made: everything before this place is counted, nothing from it on. */
  get frontier(): Place {
    return this.#frontier
  }

  /** Places held: what the map costs. */
  get places(): number {
    return this.#stretches.length
  }

  /** Grown to several times what it was made with: to be made anew, so that what is reckoned for its memory stays true. */
  get overgrown(): boolean {
    return this.places > 2 * this.#placesWhenMade + 16
  }

  /** There are `count` rows from the frontier on before `next`, the frontier's new key. */
  extend(next: readonly number[], count: number): void {
    this.#push(count)
    this.#frontier = { pinned: this.#frontier.pinned, key: next }
  }

  /** `count` rows are left from the frontier to the end of its group. */
  closeGroup(count: number): void {
    this.#push(count)
    if (this.#frontier.pinned) this.#frontier = this.#firstOf(false)
    else {
      this.#complete = true
      this.#placesWhenMade = this.places
    }
  }

  #push(count: number): void {
    this.#stretches.push({ ...this.#frontier, count })
    this.#before = undefined
  }

  /** A row came to (`by` 1) or went from (`by` -1) this place. */
  change(place: Place, by: 1 | -1): void {
    // The maker of the map has yet to read there.
    if (!this.#complete && this.#compare(place, this.#frontier) >= 0) return
    const i = this.#stretchOf(place)
    const stretch = this.#stretches[i]!
    stretch.count += by
    this.#before = undefined
    // Lists that lose rows at one end and grow at the other would leave empty stretches behind.
    const previous = this.#stretches[i - 1]
    if (stretch.count === 0 && previous?.pinned === stretch.pinned) this.#stretches.splice(i, 1)
  }

  get total(): number {
    return this.#sums().at(-1)!
  }

  /** What to read for `size` rows after the first `offset`. */
  pieces(offset: number, size: number): Piece[] {
    const sums = this.#sums()
    const pieces: Piece[] = []
    let left = Math.min(size, sums.at(-1)! - offset)
    for (let i = this.#indexAt(offset); left > 0;) {
      const { pinned, key } = this.#stretches[i]!
      let end = i + 1
      while (this.#stretches[end]?.pinned === pinned) end++
      const take = Math.min(left, sums[end]! - offset)
      if (take > 0) pieces.push({ place: { pinned, key }, skip: offset - sums[i]!, take })
      left -= take
      offset += take
      i = end
    }
    return pieces
  }

  /** The stretch that holds the row after `offset` others, when it has more than `limit` rows. */
  longAt(offset: number, limit: number): Place | undefined {
    const stretch = this.#stretches[this.#indexAt(offset)]
    return stretch && stretch.count > limit ? stretch : undefined
  }

  /** Cuts the stretch that begins at `place`: its first `count` rows lie before `key`. */
  split(place: Place, key: readonly number[], count: number): void {
    const i = this.#stretchOf(place)
    const stretch = this.#stretches[i]!
    this.#stretches.splice(i + 1, 0, { pinned: stretch.pinned, key, count: stretch.count - count })
    stretch.count = count
    this.#before = undefined
  }

  #sums(): number[] {
    if (this.#before === undefined) {
      let sum = 0
      this.#before = [0]
      for (const { count } of this.#stretches) this.#before.push((sum += count))
    }
    return this.#before
  }

  /** The last stretch with at most `offset` rows before it. */
  #indexAt(offset: number): number {
    const sums = this.#sums()
    return lastWhere(this.#stretches.length, (i) => sums[i]! <= offset)
  }

  /** The last stretch that begins at or before `place`. */
  #stretchOf(place: Place): number {
    return lastWhere(this.#stretches.length, (i) => this.#compare(this.#stretches[i]!, place) <= 0)
  }

  #compare(a: Place, b: Place): number {
    if (a.pinned !== b.pinned) return a.pinned ? -1 : 1
    for (let i = 0; i < this.width; i++) {
      const difference = a.key[i]! - b.key[i]!
      if (difference !== 0) return this.descending ? -difference : difference
    }
    return 0
  }
}

/** The last index below `length` for which `holds` is true, where it is true for 0 and never true again after the first false. */
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
