/** A name server (RFC 1035, over TCP) for which every name leads to 127.0.0.1, except those that a test hides. It also has records of type TXT. */

import { type AddressInfo, createServer } from 'node:net'

const [A, TXT, IN] = [1, 16, 1]
const NXDOMAIN = 3

export async function startNameServer() {
  /** Values by names in lower case. */
  const texts = new Map<string, Set<string>>()
  const hidden = new Set<string>()
  function answerTo(query: Buffer): Buffer {
    const { name, type, end } = questionOf(query)
    const isHidden = hidden.has(name)
    const answers = isHidden
      ? []
      : type === A
        ? [Buffer.of(127, 0, 0, 1)]
        : type === TXT
          ? textsOf(texts.get(name))
          : []
    const header = Buffer.from(query.subarray(0, 12))
    // An answer with authority; one question, no other records.
    header.writeUInt16BE(0x84_00 | (isHidden ? NXDOMAIN : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    header.fill(0, 8)
    return Buffer.concat([header, query.subarray(12, end), ...answers.map((data) => record(type, data))])
  }
  const server = createServer((socket) => {
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      // Each message follows its length.
      while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
        const length = waiting.readUInt16BE(0)
        const answer = answerTo(waiting.subarray(2, 2 + length))
        waiting = waiting.subarray(2 + length)
        socket.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 255), answer]))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, texts, hidden, stop: () => server.close() }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const textsOf = (values: ReadonlySet<string> = new Set()): Buffer[] =>
  [...values].map((value) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]))

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  // The name is that of the question, at byte 12.
  head.writeUInt16BE(0xc0_0c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(IN, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
