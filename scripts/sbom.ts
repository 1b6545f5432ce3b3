/** The software bill of materials of the executable, in the form of CycloneDX 1.6. */

import type { LicensedPackage } from '#platform/licenses.ts'

/** The module list of a bundle, as far as it is needed here. Paths are relative to the root of the sources. */
export type Modules = Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>

/** `node_modules/a/node_modules/@b/c` for a module of that package; undefined for a module of Tessera. */
export function packageFolder(path: string): string | undefined {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
  return folder
}

export interface BundledPackage extends Omit<LicensedPackage, 'texts'> {
  /** Relative to the root of the sources. */
  readonly folder: string
  readonly texts: readonly string[]
  readonly homepage?: string
  /** Folders of the packages whose modules it imports. */
  readonly imports: readonly string[]
}

/** A part of Bun, as far as Bun says. */
export interface BunPart {
  readonly name: string
  readonly version?: string
  /** In the words of Bun. */
  readonly license: string
  readonly url: string
}

export interface Build {
  readonly commit: string
  /** Time of the commit, epoch milliseconds; 0 if unknown. */
  readonly builtAt: number
}

export interface Contents {
  readonly packages: readonly BundledPackage[]
  /** Fonts and other files of others that belong to no package. */
  readonly files: readonly Omit<LicensedPackage, 'texts'>[]
  /** The parts of Bun. */
  readonly parts: readonly BunPart[]
  readonly modules: Modules
  readonly build: Build
  /** Version of Tessera. */
  readonly tessera: string
  /** bun.lock: its hash, and the entries of its packages, of which the last field is the hash of the package. */
  readonly lock: { readonly sha256: string; readonly packages: Readonly<Record<string, readonly unknown[]>> }
}

export function sbomOf(contents: Contents): object {
  const { packages, files, parts, modules, build, tessera, lock } = contents
  const self = `pkg:generic/tessera@${tessera}`
  const bun = `pkg:npm/bun@${Bun.version}`
  /** A version of a package may be in several folders; it is one component. */
  const refs = new Map(packages.map((p) => [p.folder, purl(p)]))
  const own = Object.keys(modules).filter((path) => packageFolder(path) === undefined)
  const direct = own.flatMap((path) =>
    modules[path]!.imports.flatMap((i) => refs.get(packageFolder(i.path) ?? '') ?? []),
  )
  const imports = new Map<string, string[]>(packages.map((p) => [purl(p), []]))
  for (const p of packages) imports.get(purl(p))!.push(...p.imports.flatMap((folder) => refs.get(folder) ?? []))
  const components = new Map(packages.map((p) => [purl(p), component(p, lock.packages)]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(build.builtAt > 0 && { timestamp: new Date(build.builtAt).toISOString() }),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'tessera',
        version: tessera,
        licenses: [{ license: { id: 'MIT' } }],
      },
      properties: [
        { name: 'tessera:commit', value: build.commit },
        { name: 'tessera:bun.lock:sha256', value: lock.sha256 },
      ],
    },
    components: [
      {
        type: 'platform',
        'bom-ref': bun,
        name: 'bun',
        version: Bun.version,
        purl: bun,
        licenses: [{ license: { id: 'MIT' } }],
        components: parts.map((part, index) => bunComponent(part, `${bun}#${index + 1}`)),
      },
      ...components.values(),
      ...files.map(fileComponent),
    ],
    dependencies: [
      { ref: self, dependsOn: refList([bun, ...direct, ...files.map(refOf)]) },
      { ref: bun, dependsOn: [] },
      ...files.map((file) => ({ ref: refOf(file), dependsOn: [] })),
      ...[...imports].map(([ref, list]) => ({ ref, dependsOn: refList(list.filter((other) => other !== ref)) })),
    ],
  }
}

const refList = (refs: readonly string[]): string[] => [...new Set(refs)].toSorted()

/** https://github.com/package-url/purl-spec: the @ of a scope is escaped. */
const purl = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

function component(p: BundledPackage, lock: Contents['lock']['packages']): object {
  const [scope, short] = p.name.startsWith('@') ? p.name.split('/') : [undefined, p.name]
  const key = p.folder.replace(/^node_modules\//, '').replaceAll('/node_modules/', '/')
  const integrity = /^sha512-(.+)$/.exec(String(lock[key]?.at(-1)))?.[1]
  if (integrity === undefined) throw new Error(`bun.lock has no hash of ${key}`)
  return {
    type: 'library',
    'bom-ref': purl(p),
    ...(scope !== undefined && { group: scope }),
    name: short,
    version: p.version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity, 'base64').toString('hex') }],
    licenses: [/ /.test(p.license) ? { expression: p.license } : { license: { id: p.license } }],
    purl: purl(p),
    externalReferences: [
      ...(p.homepage === undefined ? [] : [{ type: 'website', url: p.homepage }]),
      ...p.sources.map((url) => ({ type: url.endsWith('.tgz') ? 'distribution' : 'vcs', url })),
    ],
  }
}

const refOf = ({ name, version }: Contents['files'][number]): string =>
  `pkg:generic/${name.toLowerCase().replaceAll(' ', '-')}@${version}`

const fileComponent = (file: Contents['files'][number]): object => ({
  type: 'data',
  'bom-ref': refOf(file),
  name: file.name,
  version: file.version,
  licenses: [{ license: { id: file.license } }],
  externalReferences: file.sources.map((url) => ({ type: 'website', url })),
})

const bunComponent = ({ name, version, license, url }: BunPart, ref: string): object => ({
  type: 'library',
  'bom-ref': ref,
  name,
  ...(version !== undefined && { version }),
  licenses: [{ license: { name: license } }],
  externalReferences: [{ type: 'website', url }],
})
