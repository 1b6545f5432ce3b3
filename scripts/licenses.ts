/**
 * Collects the licences of the packages whose code the bundler takes into the server and the web application, and of Bun: LICENSES.txt,
 * sbom.cdx.json, and the compressed file that the executable contains. Fails if a package has no licence text, or a licence that
 * docs/adr/0032-licences.md does not list. The same sources give the same bytes.
 *
 *   bun scripts/licenses.ts     writes dist/licenses.json.br, which a server that runs from the sources reads
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

import { BUILT_LICENSES, type Licenses, licensesText } from '#platform/licenses.ts'

import manifest from '../package.json' with { type: 'json' }
import { type Build, type BundledPackage, type BunPart, type Modules, packageFolder, sbomOf } from './sbom.ts'
import { bundleWebApp } from './web-app.ts'

const root = resolve(import.meta.dir, '..')
/** Texts that packages refer to and do not contain, and Bun's LICENSE.md. */
const supplied = (name: string): string => readFileSync(join(import.meta.dir, 'licenses', name), 'utf8')

/** The options that decide which modules of the server are bundled. Inside the executable, the path of a worker is relative to src/ (worker-host.ts). */
export function serverSources(entry: string): { entrypoints: string[]; root: string; format: 'esm'; splitting: true } {
  const workers = [...new Bun.Glob('src/**/*.worker.ts').scanSync({ cwd: root })].toSorted()
  const entrypoints = [entry, ...workers].map((file) => resolve(root, file))
  return { entrypoints, root: join(root, 'src'), format: 'esm', splitting: true }
}

/** The modules that the bundler takes into the server and the web application. */
export async function bundledModules(entry = 'src/main.ts'): Promise<Modules> {
  const server = await Bun.build({
    ...serverSources(entry),
    target: 'bun',
    metafile: true,
    // The embedded files are made later, and this one of them from the result.
    external: ['tessera:*'],
  })
  const metafiles = [server.metafile!, ...(await bundleWebApp()).map(({ metafile }) => metafile!)]
  return Object.assign({}, ...metafiles.map(({ inputs }) => inputs)) as Modules
}

/** Packages that do not contain the text of their licence, or are more than they say. */
const CORRECTIONS: Readonly<Record<string, { license?: string; texts: readonly string[] }>> = {
  // Names its licence in package.json only.
  'drizzle-orm': { texts: ['Apache-2.0.txt'] },
  // The LGPL 3 consists of additions to the GPL 3.
  'libheif-js': { texts: ['GPL-3.0.txt'] },
  // Its WebAssembly is zxing-cpp.
  'zxing-wasm': { license: 'MIT AND Apache-2.0', texts: ['Apache-2.0.txt'] },
}

/** Licences that demand that recipients learn where the source code is. */
const NAMES_SOURCES = /\b(?:LGPL|MPL)-/

const LICENSE_FILE = /^(?:licen[cs]e|unlicense|copying|notice)(?:[.-](?!.*[jt]s$).*)?$/i

interface PackageJson {
  readonly name: string
  readonly version: string
  readonly license?: unknown
  readonly homepage?: string
  readonly repository?: string | { readonly url?: string }
}

/** @throws Error that names all packages without a text or with a licence that is not in `allowed` */
export function packagesOf(modules: Modules, allowed: ReadonlySet<string>, from = root): BundledPackage[] {
  const folders = new Map<string, string[]>()
  for (const path of Object.keys(modules).toSorted()) {
    const folder = packageFolder(path)
    if (folder !== undefined) folders.set(folder, [...(folders.get(folder) ?? []), path])
  }
  const problems: string[] = []
  const found = [...folders].map(([folder, paths]) => {
    const json = JSON.parse(readFileSync(join(from, folder, 'package.json'), 'utf8')) as PackageJson
    const { name, version, homepage } = json
    const corrections = CORRECTIONS[name]
    const license = corrections?.license ?? (typeof json.license === 'string' ? json.license : 'none')
    const texts = [...textsIn(join(from, folder), paths), ...(corrections?.texts ?? []).map(supplied)].map(normalized)
    if (!isAllowed(license, allowed))
      problems.push(`${name} ${version} has the licence ${license}, which docs/adr/0032-licences.md does not allow.`)
    if (texts.length === 0) problems.push(`${name} ${version} has no licence text: supply it in scripts/licenses.ts.`)
    const sources = NAMES_SOURCES.test(license) ? sourcesOf(json) : []
    const imports = paths.flatMap((path) => modules[path]!.imports.flatMap((i) => packageFolder(i.path) ?? []))
    return { name, version, license, sources, texts, folder, imports, ...(homepage !== undefined && { homepage }) }
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return found.toSorted(
    (a, b) => compare(a.name, b.name) || compare(a.version, b.version) || compare(a.folder, b.folder),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Those of the package, and those that lie beside a bundle of several packages (swagger-ui-bundle.js.LICENSE.txt). */
function textsIn(folder: string, paths: readonly string[]): string[] {
  const own = readdirSync(folder).filter((name) => LICENSE_FILE.test(name))
  const beside = paths.map((path) => `${basename(path)}.LICENSE.txt`).filter((name) => existsSync(join(folder, name)))
  return [...own.toSorted(), ...beside].map((name) => readFileSync(join(folder, name), 'utf8'))
}

const normalized = (text: string): string => text.replaceAll(/[ \t]*\r?\n/g, '\n').replaceAll(/^\n+|\s+$/g, '')

/** For SPDX expressions without parentheses: one part of an OR has to be allowed completely. */
function isAllowed(license: string, allowed: ReadonlySet<string>): boolean {
  const parts = license.replaceAll(/^\(|\)$/g, '').split(' OR ')
  return parts.some((part) => part.split(' AND ').every((id) => allowed.has(id)))
}

function sourcesOf({ name, version, repository }: PackageJson): string[] {
  const url = typeof repository === 'string' ? repository : repository?.url
  const file = `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`
  return [...(url === undefined ? [] : [url.replace(/^git\+/, '').replace(/\.git$/, '')]), file]
}

/** The ids in the first column of the table. */
export function allowedLicenses(): Set<string> {
  const text = readFileSync(join(root, 'docs/adr/0032-licences.md'), 'utf8')
  return new Set([...text.matchAll(/^\| `([\w.-]+)`/gm)].map(([, id]) => id!))
}

/** The rows of Bun's own tables, with the versions that it knows. */
export function bunParts(): BunPart[] {
  const known = new Map(Object.entries(process.versions).map(([name, version]) => [plainName(name), version]))
  const linked = [...supplied('bun.md').matchAll(/^\| .*?\[(.+?)\]\((\S+?)\).*? \| (.+) \|$/gm)].map(
    ([, name, url, license]) => ({
      name: name!.replaceAll('`', ''),
      url: url!,
      license: license!.replaceAll(/\[(.+?)\]\(\S+?\)/g, '$1'),
    }),
  )
  const core = { name: 'JavaScriptCore', url: 'https://github.com/oven-sh/WebKit', license: 'LGPL-2' }
  return [core, ...linked].map((part) => {
    const version = known.get(plainName(part.name))
    return version === undefined ? part : { ...part, version }
  })
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  javascriptcore: 'webkit',
  picohttp: 'picohttpparser',
  cares: 'ares',
  libicu: 'icu',
  libuv: 'uv',
}
function plainName(name: string): string {
  const plain = name.toLowerCase().replaceAll('-', '')
  return OTHER_NAMES[plain] ?? plain
}

/** Bun, and the parts of it whose licences demand their text. */
function bunPackages(parts: readonly BunPart[]): Omit<BundledPackage, 'folder' | 'imports'>[] {
  const part = (name: string, license: string, text: string) => {
    const { version = Bun.version, url } = parts.find((p) => p.name === name)!
    return { name: `${name} (in Bun)`, version, license, sources: [url], texts: [normalized(supplied(text))] }
  }
  return [
    { name: 'bun', version: Bun.version, license: 'MIT', sources: [], texts: [normalized(supplied('bun.md'))] },
    part('JavaScriptCore', 'LGPL-2.0-or-later', 'LGPL-2.0.txt'),
    part('tinycc', 'LGPL-2.1', 'LGPL-2.1.txt'),
  ]
}

/** The file of a font, which belongs to no package (scripts/unifont.ts). */
const unifont = () => ({
  name: 'GNU Unifont',
  version: '15.0.01',
  license: 'OFL-1.1',
  sources: ['https://unifoundry.com/unifont/'],
  texts: [normalized(supplied('OFL-1.1.txt'))],
})

/** @throws Error if a package must not be distributed */
export function collectLicenses(modules: Modules, build: Build): Licenses {
  const packages = packagesOf(modules, allowedLicenses())
  const parts = bunParts()
  const texts: string[] = []
  /** By their words: line breaks differ between copies of the same text. */
  const indexes = new Map<string, number>()
  const indexOf = (text: string): number => {
    const key = text.replaceAll(/\s+/g, ' ')
    const known = indexes.get(key)
    if (known !== undefined) return known
    indexes.set(key, texts.length)
    return texts.push(text) - 1
  }
  const listed = [...bunPackages(parts), unifont(), ...packages].map(({ name, version, license, sources, texts }) => ({
    name,
    version,
    license,
    sources,
    texts: [...new Set(texts.map(indexOf))],
  }))
  const sbom = sbomOf({
    packages,
    files: [unifont()],
    parts,
    modules,
    build,
    tessera: manifest.version,
    lock: lockFile(),
  })
  return { packages: listed, texts, sbom: `${JSON.stringify(sbom, null, 2)}\n` }
}

function lockFile() {
  const text = readFileSync(join(root, 'bun.lock'), 'utf8')
  const { packages } = Bun.JSONC.parse(text) as { packages: Record<string, readonly unknown[]> }
  return { sha256: new Bun.CryptoHasher('sha256').update(text).digest('hex'), packages }
}

/** Writes the file that the executable contains and returns its path. */
export function writeLicenses(licenses: Licenses): string {
  const json = JSON.stringify(licenses)
  const params = { [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: json.length }
  writeWhole(BUILT_LICENSES, brotliCompressSync(json, { params }))
  return BUILT_LICENSES
}

/** Writes the files for people and for scanners. */
export function writeLicenseFiles(licenses: Licenses, folder: string): void {
  writeWhole(join(folder, 'LICENSES.txt'), licensesText(licenses))
  writeWhole(join(folder, 'sbom.cdx.json'), licenses.sbom)
}

/** Servers and tests that read the file meanwhile see the whole old one or the whole new one. */
function writeWhole(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, content)
  renameSync(`${path}.${process.pid}`, path)
}

if (import.meta.main) {
  const licenses = collectLicenses(await bundledModules(), { commit: 'source', builtAt: 0 })
  console.log(`${writeLicenses(licenses)}: ${licenses.packages.length} packages, ${licenses.texts.length} texts.`)
}
