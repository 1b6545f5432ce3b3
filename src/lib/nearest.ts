/** Number of edits (insert, delete, replace, swap neighbours) that turn `a` into `b`. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...new Array<number>(b.length).fill(0)])
  for (let j = 1; j <= b.length; j++) rows[0]![j] = j
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = cost
    }
  return rows[a.length]![b.length]!
}

/** The known name that was probably meant: the one that differs least, by at most a third of its letters. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: { name: string; cost: number } | undefined
  for (const candidate of known) {
    const cost = distance(name.toLowerCase(), candidate.toLowerCase())
    if (cost <= Math.max(1, candidate.length / 3) && (best === undefined || cost < best.cost))
      best = { name: candidate, cost }
  }
  return best?.name
}

/** `; did you mean X?`, or the empty string. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}
