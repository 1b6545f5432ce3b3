/** Writes ip2region databases from the description of their format, without the reader's code. */

export interface Range {
  first: string
  last: string
  region: string
}

const toNumber = (ip: string): bigint =>
  ip.includes(':') ? v6(ip) : ip.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)

function v6(ip: string): bigint {
  const [head, tail] = ip.split('::')
  const left = head === '' ? [] : head!.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...middle, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n)
}

const HEADER = 256
const VECTOR = 256 * 256 * 8

/** `ranges` in ascending order. As in the original, all addresses of an entry begin with the same 2 bytes. */
export function makeXdb(family: 4 | 6, structure: 2 | 3, ranges: readonly Range[]): Buffer {
  const width = family === 4 ? 4 : 16
  const shift = BigInt(width * 8 - 16)
  const texts = new Map<string, number>()
  const textBytes: Buffer[] = []
  let at = HEADER + VECTOR
  for (const { region } of ranges)
    if (!texts.has(region)) {
      texts.set(region, at)
      textBytes.push(Buffer.from(region))
      at += Buffer.byteLength(region)
    }
  const vector = Buffer.alloc(VECTOR)
  const entries: Buffer[] = []
  const size = 2 * width + 6
  const start = at
  const address = (value: bigint): Uint8Array => {
    const bytes = Buffer.from(value.toString(16).padStart(width * 2, '0'), 'hex')
    return width === 4 ? bytes.toReversed() : bytes
  }
  for (const { first, last, region } of ranges) {
    let from = toNumber(first)
    const end = toNumber(last)
    while (from <= end) {
      const prefix = from >> shift
      const edge = ((prefix + 1n) << shift) - 1n
      const to = edge < end ? edge : end
      const tail = Buffer.alloc(6)
      tail.writeUInt16LE(Buffer.byteLength(region), 0)
      tail.writeUInt32LE(texts.get(region)!, 2)
      entries.push(Buffer.concat([address(from), address(to), tail]))
      const slot = Number(prefix) * 8
      if (vector.readUInt32LE(slot) === 0) vector.writeUInt32LE(at, slot)
      // The start of the last entry: readers include it.
      vector.writeUInt32LE(at, slot + 4)
      at += size
      from = to + 1n
    }
  }
  const header = Buffer.alloc(HEADER)
  header.writeUInt16LE(structure, 0)
  header.writeUInt16LE(1, 2)
  header.writeUInt32LE(Date.UTC(2026, 0, 2) / 1000, 4)
  header.writeUInt32LE(start, 8)
  header.writeUInt32LE(at - size, 12)
  if (structure === 3) {
    header.writeUInt16LE(family, 16)
    header.writeUInt16LE(4, 18)
  }
  return Buffer.concat([header, vector, ...textBytes, ...entries])
}
