/** Reed–Solomon parity over GF(256) with the polynomial 0x11d (ISO/IEC 18004:2024 §7.5.2, annex A). */

const EXP = new Uint8Array(510)
const LOG = new Uint8Array(256)
for (let i = 0, x = 1; i < 255; i++) {
  EXP[i] = EXP[i + 255] = x
  LOG[x] = i
  x <<= 1
  if (x > 255) x ^= 0x11d
}

const multiply = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : EXP[LOG[a]! + LOG[b]!]!)

/** All multiples of each generator polynomial without its leading 1: 256 rows of `parity` bytes, computed when first needed. */
const multiples: (Uint8Array | undefined)[] = []

function multiplesOf(parity: number): Uint8Array {
  const generator = new Uint8Array(parity)
  generator[parity - 1] = 1
  for (let i = 0; i < parity; i++)
    for (let j = 0; j < parity; j++) generator[j] = multiply(generator[j]!, EXP[i]!) ^ (generator[j + 1] ?? 0)
  const table = new Uint8Array(256 * parity)
  for (let factor = 1; factor < 256; factor++)
    for (let j = 0; j < parity; j++) table[factor * parity + j] = multiply(generator[j]!, factor)
  return table
}

/** The remainder of `data` × x^parity by the generator polynomial, `parity` bytes. */
export function parityOf(data: Uint8Array, parity: number): Uint8Array {
  const table = (multiples[parity] ??= multiplesOf(parity))
  const rest = new Uint8Array(parity)
  const last = parity - 1
  for (let i = 0; i < data.length; i++) {
    const row = (data[i]! ^ rest[0]!) * parity
    for (let j = 0; j < last; j++) rest[j] = rest[j + 1]! ^ table[row + j]!
    rest[last] = table[row + last]!
  }
  return rest
}
