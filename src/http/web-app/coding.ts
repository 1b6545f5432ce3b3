/** Chooses the content coding of an answer by `Accept-Encoding` (RFC 9110 §12.5.3). */

export type Coding = 'br' | 'gzip' | 'identity'

/** `br;q=0.8`. The weight has at most three decimals. */
const MEMBER = /^([\w!#$%&'*+.^`|~-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i
/** A client that sends more is not a browser. */
const MAX_MEMBERS = 20

/**
 * The coding that the client prefers; the first of `available` if it likes several equally, and `identity` if it accepts none of them.
 * `identity` is chosen last unless it has a weight of its own.
 */
export function chooseCoding(header: string | null, available: readonly Exclude<Coding, 'identity'>[]): Coding {
  const weights = new Map<string, number>()
  for (const member of (header ?? '').split(',', MAX_MEMBERS)) {
    const [, name, weight = '1'] = MEMBER.exec(member.trim()) ?? []
    if (name !== undefined) weights.set(name.toLowerCase(), Number(weight))
  }
  let best: Coding = 'identity'
  let highest = weights.get('identity') ?? 0
  for (const coding of available) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > highest || (best === 'identity' && weight === highest && weight > 0)) {
      best = coding
      highest = weight
    }
  }
  return best
}
