/**
 * The licences of the packages whose code is in the program. The build (scripts/licenses.ts) writes them into one compressed file, which
 * the executable contains and which is read when somebody asks. A server that runs from the sources reads the file of the last build.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

export interface LicensedPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string
  /** Where its source code is. Empty unless the licence demands that. */
  readonly sources: readonly string[]
  /** Indexes of `Licenses.texts`. */
  readonly texts: readonly number[]
}

export interface Licenses {
  /** By name. */
  readonly packages: readonly LicensedPackage[]
  /** Equal texts are here once. */
  readonly texts: readonly string[]
  /** The software bill of materials: CycloneDX 1.6 as JSON. */
  readonly sbom: string
}

/** Where the build leaves the file for servers that run from the sources. */
export const BUILT_LICENSES: string = join(import.meta.dir, '../../dist/licenses.json.br')

/** Undefined if the program runs from the sources and was never built. */
export async function readLicenses(built: string = BUILT_LICENSES): Promise<Licenses | undefined> {
  const path = Bun.isStandaloneExecutable ? (await import('tessera:licenses')).default : built
  // Not `Bun.file`, whose errors have no code for a missing file.
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (bytes === undefined) return undefined
  return JSON.parse((await promisify(brotliDecompress)(bytes)).toString()) as Licenses
}

/** The answer of `tessera licenses --json` and `GET /api/licenses`. `text` has everything that belongs to the package. */
export function itemsOf({ packages, texts }: Licenses) {
  const items = packages.map(({ name, version, license, sources, texts: own }) => ({
    name,
    version,
    license,
    text: [...sourceNote(sources), ...own.map((index) => texts[index]!)].join('\n\n'),
  }))
  return { items, total: items.length }
}

/** LICENSES.txt: the packages, then each text once. */
export function licensesText({ packages, texts }: Licenses): string {
  const users = texts.map((_, index) => packages.filter((p) => p.texts.includes(index)))
  const line = '-'.repeat(80)
  return [
    'Tessera contains the following software. The texts of the licences follow.',
    packages
      .map(({ name, version, license, sources }) =>
        [`${name} ${version}: ${license}`, ...sourceNote(sources).map((note) => `  ${note}`)].join('\n'),
      )
      .join('\n'),
    ...texts.map(
      (text, index) =>
        `${line}\n${users[index]!.map(({ name, version }) => `${name} ${version}`).join(', ')}\n${line}\n\n${text}`,
    ),
  ]
    .join('\n\n')
    .concat('\n')
}

const sourceNote = (sources: readonly string[]): string[] =>
  sources.length === 0 ? [] : [`Source code: ${sources.join(' and ')}`]
