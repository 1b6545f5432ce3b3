/** Reads the imports of source files, and finds cycles among them. */

export interface SourceFile {
  /** From the repository's root: `src/http/mount.ts`. */
  path: string
  text: string
}

export interface Import {
  /** `src/…` or `migrations/…` for files of the repository, otherwise the name of the package. */
  target: string
  typeOnly: boolean
}

const STATIC = /^[ \t]*(?:import|export)\s+(type\s)?(?:[\w*{][^'"`;]*?\sfrom\s*)?['"]([^'"\n]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"\n]+)['"]/g

/** Every import and re-export of a file, types included. */
export function importsOf(file: SourceFile): Import[] {
  const source = file.text.replaceAll(/\/\*[^]*?\*\//g, '')
  const target = (name: string) => {
    if (name.startsWith('.')) return new URL(name, `file:///${file.path}`).pathname.slice(1)
    // The aliases under `imports` in package.json.
    if (name.startsWith('#')) return `src/${name.slice(1)}${name.includes('/') ? '' : '.ts'}`
    return name
  }
  return [
    ...[...source.matchAll(STATIC)].map((m) => ({ target: target(m[2]!), typeOnly: m[1] !== undefined })),
    ...[...source.matchAll(DYNAMIC)].map((m) => ({ target: target(m[1]!), typeOnly: false })),
  ]
}

export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Which of the files import which others, types included. */
export function importGraph(files: readonly SourceFile[]): Graph {
  const paths = new Set(files.map(({ path }) => path))
  return new Map(
    files.map((file) => [
      file.path,
      new Set(
        importsOf(file)
          .map(({ target }) => target)
          .filter((target) => paths.has(target)),
      ),
    ]),
  )
}

/** A path that returns to its start, such as `['a', 'b', 'a']`, or undefined. */
export function findCycle(edges: Graph): string[] | undefined {
  const done = new Set<string>()
  const walk = (at: string, trail: string[]): string[] | undefined => {
    if (trail.includes(at)) return [...trail.slice(trail.indexOf(at)), at]
    if (done.has(at)) return undefined
    for (const next of edges.get(at) ?? []) {
      const cycle = walk(next, [...trail, at])
      if (cycle) return cycle
    }
    done.add(at)
    return undefined
  }
  for (const start of edges.keys()) {
    const cycle = walk(start, [])
    if (cycle) return cycle
  }
  return undefined
}
