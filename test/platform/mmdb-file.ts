/** Writes MaxMind databases from the description of their format (MaxMind DB 2.0), without the reader's code. */

import { parseIp } from '#lib/ip.ts'

type Value = string | number | { readonly [key: string]: Value }

const control = (type: number, size: number): Buffer => {
  if (size >= 29)
    return Buffer.concat([Buffer.from([type < 8 ? (type << 5) | 29 : 29, ...(type < 8 ? [] : [type - 7]), size - 29])])
  return Buffer.from(type < 8 ? [(type << 5) | size] : [size, type - 7])
}

/** Types: 2 text, 6 unsigned 32-bit number, 7 map. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  const entries = Object.entries(value)
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([k, v]) => [encode(k), encode(v)])])
}

type Node = [Branch, Branch]
type Branch = Node | { readonly data: number } | undefined

/** `rows` by network. In a database of IPv6, those of IPv4 are in `::/96`. */
export function makeMmdb(version: 4 | 6, rows: Readonly<Record<string, Value>>): Buffer {
  const root: Node = [undefined, undefined]
  const data: Buffer[] = []
  let at = 0
  for (const [network, value] of Object.entries(rows)) {
    const [address = '', length = ''] = network.split('/')
    const bytes = [...parseIp(address)!]
    const isMapped = version === 6 && bytes.length === 4
    const all = isMapped ? [...new Array<number>(12).fill(0), ...bytes] : bytes
    const bits = Number(length) + (isMapped ? 96 : 0)
    let node = root
    for (let i = 0; i < bits; i++) {
      const bit = (all[i >> 3]! >> (7 - (i & 7))) & 1
      if (i === bits - 1) node[bit] = { data: at }
      else node = (node[bit] ??= [undefined, undefined]) as Node
    }
    const encoded = encode(value)
    data.push(encoded)
    at += encoded.length
  }
  const nodes: Node[] = []
  const number = (node: Node): void => {
    nodes.push(node)
    for (const branch of node) if (Array.isArray(branch)) number(branch)
  }
  number(root)
  const place = new Map(nodes.map((node, i) => [node, i]))
  const record = (branch: Branch): number =>
    branch === undefined ? nodes.length : Array.isArray(branch) ? place.get(branch)! : nodes.length + 16 + branch.data
  const tree = Buffer.alloc(nodes.length * 6)
  for (const [i, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(record(left), i * 6, 3)
    tree.writeUIntBE(record(right), i * 6 + 3, 3)
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_767_225_600,
    database_type: 'Test-City',
    ip_version: version,
    node_count: nodes.length,
    record_size: 24,
  })
  const marker = Buffer.concat([Buffer.from('abcdef', 'hex'), Buffer.from('MaxMind.com')])
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata])
}
