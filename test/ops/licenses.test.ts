/** The commands that print the licences of the software in the program, without a network and without a data directory. */

import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { buildLicenses } from '../harness/licenses.ts'
import { Installation } from './cli.ts'

let place: Installation
beforeAll(() => buildLicenses())
beforeEach(() => {
  place = new Installation()
})
afterEach(() => place.dispose())

test('tessera licenses prints the packages and the texts of their licences', async () => {
  const { code, stdout, stderr } = await place.run(['licenses'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`bun ${Bun.version}: MIT\n`)
  expect(stdout).toMatch(
    /^libheif-js [\d.]+: LGPL-3\.0\n  Source code: https:\/\/github\.com\/catdad-experiments\/libheif-js and /m,
  )
  expect(stdout.match(/^ +GNU GENERAL PUBLIC LICENSE\n +Version 3/gm)).toHaveLength(1)
  expect(existsSync(place.dataDir)).toBe(false)
})

test('a reader that closes the pipe early is no failure', async () => {
  const { stdout, stderr, code } = await place.run(['licenses'], { before: ['bash', '-c', '"$@" | head -1', 'bash'] })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe('Tessera contains the following software. The texts of the licences follow.\n')
})

test('tessera licenses --json prints what GET /api/licenses answers', async () => {
  const { code, stdout } = await place.run(['licenses', '--json'])
  expect(code).toBe(0)
  const printed = JSON.parse(stdout)
  expect(printed.total).toBe(printed.items.length)
  const server = await place.serve()
  const answer = (await (await fetch(`${server.url}/api/licenses`)).json()) as { data: unknown }
  expect(answer.data).toEqual(printed)
  await server.end()
})

test('tessera sbom prints a bill of materials with the packages of the licences', async () => {
  const { code, stdout } = await place.run(['sbom'])
  expect(code).toBe(0)
  const { specVersion, components } = JSON.parse(stdout) as {
    specVersion: string
    components: { name: string; group?: string }[]
  }
  expect(specVersion).toBe('1.6')
  const { items } = JSON.parse((await place.run(['licenses', '--json'])).stdout) as { items: { name: string }[] }
  const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
  // Parts of Bun are inside of its component.
  expect(new Set(names)).toEqual(new Set(items.map(({ name }) => name).filter((name) => !name.endsWith(' (in Bun)'))))
})

test('from sources that were never built, the commands and the pages say that a build makes the list', async () => {
  const root = resolve(import.meta.dir, '../..')
  const copy = join(place.home, 'copy')
  for (const part of ['src', 'migrations', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const program = [process.execPath, join(copy, 'src/main.ts')]
  for (const command of ['licenses', 'sbom']) {
    const { code, stdout, stderr } = await place.run([command], { program })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('run "bun run build" first')
  }
  const server = await place.serve([], { program })
  const answer = await fetch(`${server.url}/api/licenses`, { headers: { 'accept-language': 'zh' } })
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('源码')])
  const page = await fetch(`${server.url}/licenses`, { headers: { accept: 'text/html' } })
  expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('bun run build')])
  expect(await server.end()).toBe(0)
})
