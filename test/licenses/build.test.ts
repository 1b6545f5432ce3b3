/** The build lists the packages whose code it bundles, and refuses licences that are not accepted. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { type Licenses, licensesText } from '#platform/licenses.ts'

import manifest from '../../package.json' with { type: 'json' }
import { allowedLicenses, bundledModules, collectLicenses, packagesOf } from '../../scripts/licenses.ts'
import { type Modules, packageFolder } from '../../scripts/sbom.ts'

const root = resolve(import.meta.dir, '../..')
const BUILD = { commit: 'test', builtAt: Date.UTC(2030, 0, 2) }

interface Component {
  'bom-ref': string
  group?: string
  name: string
  version?: string
  purl?: string
  hashes?: { alg: string; content: string }[]
  licenses: ({ expression: string } | { license: { id?: string; name?: string } })[]
  components?: Component[]
}
interface Sbom {
  bomFormat: string
  specVersion: string
  metadata: { timestamp: string; component: Component; properties: { name: string; value: string }[] }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

describe('the list of licences', () => {
  let modules: Modules
  let licenses: Licenses
  let sbom: Sbom
  beforeAll(async () => {
    modules = await bundledModules()
    licenses = collectLicenses(modules, BUILD)
    sbom = JSON.parse(licenses.sbom) as Sbom
  })
  const named = (list: readonly { name: string; version: string }[]): string[] =>
    list.map(({ name, version }) => `${name} ${version}`)
  const find = (name: string) => licenses.packages.find((p) => p.name === name)!
  const textsOf = (name: string): string =>
    find(name)
      .texts.map((index) => licenses.texts[index])
      .join('\n')

  test('names exactly the packages that have a module in the server or in the web application, Bun, and the font of labels', () => {
    const folders = new Set(
      Object.keys(modules).flatMap((path) => path.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/) ?? []),
    )
    const expected = [...folders]
      .filter((folder) => folder?.includes('node_modules'))
      .map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
    const fromBun = licenses.packages.filter(({ name }) => name === 'bun' || name.endsWith(' (in Bun)'))
    expect(named(fromBun)).toEqual([
      `bun ${Bun.version}`,
      expect.stringMatching(/^JavaScriptCore \(in Bun\) [0-9a-f]{40}$/),
      expect.stringMatching(/^tinycc \(in Bun\) [0-9a-f]{40}$/),
    ])
    const ofFiles = licenses.packages.filter(({ name }) => name === 'GNU Unifont')
    expect(ofFiles).toMatchObject([{ license: 'OFL-1.1', sources: ['https://unifoundry.com/unifont/'] }])
    const listed = named(licenses.packages.filter((p) => !fromBun.includes(p) && !ofFiles.includes(p)))
    expect(new Set(listed)).toEqual(new Set(named(expected)))
    expect(listed.length).toBeGreaterThan(50)
  })

  test('has packages of the server, of the console, of packages, and of files, and none that only tools need', () => {
    const names = licenses.packages.map(({ name }) => name)
    // zxing-wasm is a .wasm file, swagger-ui-dist two files that are not bundled, domutils comes with htmlparser2 of sanitize-html.
    for (const name of ['elysia', 'react-dom', 'libheif-js', 'zxing-wasm', 'swagger-ui-dist', 'domutils'])
      expect(names).toContain(name)
    for (const name of Object.keys(manifest.devDependencies)) expect(names).not.toContain(name)
  })

  test('has two versions of a package if both are bundled', () => {
    const versions = licenses.packages.filter(({ name }) => name === 'react-is').map(({ version }) => version)
    const bundled = Object.keys(modules).flatMap((path) => packageFolder(path) ?? [])
    expect(versions.length).toBe(new Set(bundled.filter((folder) => folder.endsWith('/react-is'))).size)
    expect(versions.length).toBe(2)
  })

  test('has for each package a text, which it has once', () => {
    for (const { name, texts } of licenses.packages) {
      expect({ name, texts: texts.length > 0 }).toEqual({ name, texts: true })
      for (const index of texts) expect(licenses.texts[index]!.trim()).not.toBe('')
    }
    const plain = licenses.texts.map((text) => text.replaceAll(/\s+/g, ' '))
    expect(new Set(plain).size).toBe(plain.length)
    expect(plain.length).toBeLessThan(licenses.packages.length)
    for (const [index] of plain.entries())
      expect(licenses.packages.some(({ texts }) => texts.includes(index))).toBe(true)
  })

  test('has the texts of the LGPL, the GPL, the MPL and the NOTICE files, and says where the source code is', () => {
    expect(find('libheif-js')).toMatchObject({
      license: 'LGPL-3.0',
      sources: [
        'https://github.com/catdad-experiments/libheif-js',
        `https://registry.npmjs.org/libheif-js/-/libheif-js-${manifest.dependencies['libheif-js']}.tgz`,
      ],
    })
    expect(textsOf('libheif-js')).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
    expect(textsOf('libheif-js')).toMatch(/^ +GNU GENERAL PUBLIC LICENSE/m)
    expect(find('exifreader')).toMatchObject({ license: 'MPL-2.0' })
    expect(find('exifreader').sources).toContain('https://github.com/mattiasw/ExifReader')
    expect(textsOf('exifreader')).toContain('Mozilla Public License Version 2.0')
    expect(textsOf('swagger-ui-dist')).toContain('Copyright 2020-2021 SmartBear Software Inc.')
    expect(textsOf('drizzle-orm')).toContain('Apache License')
    expect(find('react').sources).toEqual([])
  })

  test('LICENSES.txt has every package, source and text', () => {
    const text = licensesText(licenses)
    for (const { name, version, license, sources } of licenses.packages) {
      expect(text).toContain(`${name} ${version}: ${license}\n`)
      for (const url of sources) expect(text).toContain(url)
    }
    for (const part of licenses.texts) expect(text).toContain(part)
    expect(text.match(/^-{80}$/gm)).toHaveLength(2 * licenses.texts.length)
  })

  test('the bill of materials has every package with its hash, the parts of Bun, and what depends on what', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    expect(sbom.metadata.timestamp).toBe('2030-01-02T00:00:00.000Z')
    expect(sbom.metadata.properties).toContainEqual({ name: 'tessera:commit', value: 'test' })
    const [bun, ...others] = sbom.components
    const packages = others.filter(({ name }) => name !== 'GNU Unifont')
    expect(others.length).toBe(packages.length + 1)
    const full = packages.map((c) => `${c.group === undefined ? '' : `${c.group}/`}${c.name} ${c.version!}`)
    expect(new Set(full)).toEqual(new Set(named(licenses.packages.slice(4))))
    for (const c of packages) {
      expect(c.purl).toBe(`pkg:npm/${c.group === undefined ? '' : `%40${c.group.slice(1)}/`}${c.name}@${c.version!}`)
      expect(c.hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
    }
    const parts = bun!.components!
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['JavaScriptCore', 'boringssl', 'tinycc', 'uWebsockets', 'acorn', 'vm-browserify']),
    )
    expect(parts.find(({ name }) => name === 'zstd')!.version).toBe(process.versions['zstd']!)

    const refs = [sbom.metadata.component, ...sbom.components].map((c) => c['bom-ref'])
    expect(new Set([...refs, ...parts.map((c) => c['bom-ref'])]).size).toBe(refs.length + parts.length)
    expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted())
    for (const { dependsOn } of sbom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref)
    const of = (start: string) => sbom.dependencies.find(({ ref }) => ref.startsWith(start))!.dependsOn.join(' ')
    expect(of('pkg:npm/react-dom@')).toContain('pkg:npm/scheduler@')
    expect(of('pkg:generic/tessera@')).toContain('pkg:npm/elysia@')
    expect(of('pkg:generic/tessera@')).not.toContain('pkg:npm/scheduler@')
  })

  test('the same sources give the same bytes, in whatever order the bundler names the modules', () => {
    const reversed = Object.fromEntries(Object.entries(modules).toReversed())
    expect(JSON.stringify(collectLicenses(reversed, BUILD))).toBe(JSON.stringify(licenses))
  })
})

describe('a package that must not be distributed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-licenses-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Collects the licences of a bundle that contains one package. */
  function collect(name: string, license: unknown, files: Record<string, string>) {
    const place = join(folder, 'node_modules', name)
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version: '1.2.3', license }))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
    const modules = { 'src/main.ts': { imports: [] }, [`node_modules/${name}/index.js`]: { imports: [] } }
    return packagesOf(modules, allowedLicenses(), folder)
  }
  const LICENSE = { LICENSE: 'You may do anything.' }

  test.each([
    ['MIT', LICENSE],
    ['(MIT OR GPL-3.0)', LICENSE],
    ['MIT AND Apache-2.0', { 'LICENSE.txt': 'You may do anything.' }],
    ['BSD-3-Clause', { 'license-bsd.md': 'You may do anything.' }],
    ['ISC', { COPYING: 'You may do anything.' }],
  ])('the licence %s is accepted with a text', (license, files) => {
    expect(collect('@made/up', license, files)).toMatchObject([
      { name: '@made/up', version: '1.2.3', license, texts: ['You may do anything.'], sources: [] },
    ])
  })

  test.each([
    ['AGPL-3.0'],
    ['GPL-3.0'],
    ['MIT AND GPL-2.0'],
    ['SSPL-1.0'],
    ['SEE LICENSE IN LICENSE'],
    [undefined],
    [{ type: 'MIT' }],
  ])('the licence %j fails the build and is named', (license) => {
    const named = typeof license === 'string' ? license : 'none'
    expect(() => collect('made-up', license, LICENSE)).toThrow(
      `made-up 1.2.3 has the licence ${named}, which docs/adr/0032-licences.md does not allow.`,
    )
  })

  test.each<Record<string, string>>([{}, { 'licence.js': 'module.exports = {}' }, { 'license.d.ts': '' }])(
    'a package without a licence text fails the build (files: %j)',
    (files) => {
      expect(() => collect('made-up', 'MIT', files)).toThrow('made-up 1.2.3 has no licence text')
    },
  )
})
