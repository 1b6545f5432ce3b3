/** The examples of docs/integrations.md are run, or compared with the server, as they are printed. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { allEndpoints } from '#app'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { program } from '../harness/program.ts'
import { type Key, makeKey } from './helpers.ts'

const text = readFileSync(resolve(import.meta.dir, '../../docs/integrations.md'), 'utf8')

interface Example {
  readonly language: string
  readonly code: string
}

/** The blocks after a comment that names this file. */
const marked = (word: string): Example[] =>
  [
    ...text.matchAll(
      new RegExp(`<!-- ${word} by test/api-keys/integrations.test.ts -->\\s+\`\`\`(\\w+)\\n([^]*?)\`\`\``, 'g'),
    ),
  ].map(([, language, code]) => ({ language: language!, code: code! }))

const tried = marked('tried')
const checked = marked('checked')
const hasCurl = Bun.which('curl') !== null

test('most examples of docs/integrations.md are tried', () => {
  expect(tried.length).toBeGreaterThanOrEqual(7)
  expect(checked.map(({ language }) => language)).toEqual(['yaml', 'json'])
  if (!hasCurl && process.env['CI']) throw new Error('curl is missing')
})

/** Whether an operation of the server has this address, and knows its parameters. */
function expectKnown(address: string, method: string): void {
  const { pathname, searchParams } = new URL(address.replaceAll(/\{\{.*?\}\}/g, 'x'))
  const endpoint = allEndpoints.find((each) => each.method === method && each.path === pathname)
  expect(endpoint?.path, address).toBe(pathname)
  const known = Object.keys((endpoint!.query?.['properties'] ?? {}) as object)
  expect(
    [...searchParams.keys()].filter((name) => !known.includes(name)),
    address,
  ).toEqual([])
}

test('the examples for Home Assistant and n8n call operations that exist, with their parameters', () => {
  const { rest, rest_command } = Bun.YAML.parse(checked[0]!.code.replaceAll('!secret ', '')) as {
    rest: { resource: string }[]
    rest_command: Record<string, { url: string; method: string; payload: string }>
  }
  for (const { resource } of rest) expectKnown(resource, 'GET')
  for (const { url, method, payload } of Object.values(rest_command)) {
    expectKnown(url, method.toUpperCase())
    expect(JSON.parse(payload)).toEqual({ name: '{{ name }}', content: '{{ content }}' })
  }
  const workflow = JSON.parse(checked[1]!.code) as { nodes: { name: string; parameters: { url?: string } }[] }
  const urls = workflow.nodes.flatMap(({ parameters }) => parameters.url ?? [])
  expect(urls).toHaveLength(1)
  for (const url of urls) expectKnown(url, 'GET')
})

describe.if(inProcess && hasCurl)('docs/integrations.md', () => {
  const { server, alice } = useServer({ people: ['alice'] })
  const home = mkdtempSync(join(tmpdir(), 'tessera-examples-'))
  let key: Key

  beforeAll(async () => {
    const points = ['asset:read', 'asset:create', 'asset:export', 'qr_code:create']
    key = await makeKey(server, alice, { points })
    ok(await alice.post('/api/assets', { name: 'Violin 1' }))
    // The command as people have it installed.
    const command = program.map((part) => `'${part}'`).join(' ')
    writeFileSync(join(home, 'tessera'), `#!/bin/sh\nexec ${command} "$@"\n`)
    chmodSync(join(home, 'tessera'), 0o755)
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  for (const { code } of tried)
    test(`this example works: ${code.trim()}`, async () => {
      const child = Bun.spawn(['sh', '-ec', code], {
        cwd: home,
        env: { PATH: `${home}:${process.env['PATH']}`, TESSERA_API_URL: server.url, TESSERA_API_KEY: key.key },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
      expect([await child.exited, stderr]).toEqual([0, ''])
      const output = /--output (\S+)/.exec(code)?.[1]
      if (output !== undefined) expect(readFileSync(join(home, output)).length).toBeGreaterThan(50)
      else if (code.includes('--all')) expect(JSON.parse(stdout.split('\n')[0]!)).toHaveProperty('assetNo')
      else expect(JSON.parse(stdout)).toBeObject()
    })
})
