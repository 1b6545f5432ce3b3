import { afterEach, beforeEach, expect, test } from 'bun:test'

import { Installation } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

async function linesOf(format: 'text' | 'json'): Promise<string[]> {
  const env = { TESSERA_LOG_FORMAT: format, TESSERA_LOG_LEVEL: 'info' }
  const server = await place.serve([], { env })
  expect((await fetch(`${server.url}/setup`)).status).toBe(200)
  expect(await server.end()).toBe(0)
  // Stacks and texts with line breaks do not occur here.
  return server.stderr().trimEnd().split('\n')
}

test('every line of the log names the process, which has another name after each start', async () => {
  const names = new Set<string>()
  for (let start = 0; start < 2; start++) {
    const lines = (await linesOf('json')).map((line) => JSON.parse(line) as { process: string; message: string })
    expect(lines.some(({ message }) => message === 'request')).toBe(true)
    const found = new Set(lines.map(({ process }) => process))
    expect(found.size).toBe(1)
    for (const name of found) names.add(name)
  }
  expect(names.size).toBe(2)
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/)

  const lines = await linesOf('text')
  expect(lines.some((line) => line.includes('GET /setup 200'))).toBe(true)
  expect(new Set(lines.map((line) => /^\S+ [A-Z]+ +([0-9a-f]{8}) /.exec(line)?.[1])).size).toBe(1)
})
