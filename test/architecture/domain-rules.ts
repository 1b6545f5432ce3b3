/** The rules for files inside a domain: their names, which of them may import which, and their smallest size. */

import { type Import, importGraph, type SourceFile } from './imports.ts'

/**
 * The kinds of files in a domain: a file is called `<topic>.<kind>.ts` or `<topic>.admin.<kind>.ts`. Each kind has a level: a file imports
 * files of its own domain only from its own level or below.
 */
const LEVELS: Readonly<Record<string, number>> = {
  errors: 0,
  model: 0,
  rules: 0,
  view: 1,
  store: 1,
  service: 2,
  jobs: 3,
  listeners: 3,
  page: 3,
  endpoints: 3,
}
const INDEX_LEVEL = 4

export interface Exceptions {
  /** Files with other names, by their path below `src/domains/`, and their level. Overrides the level of a standard name. */
  readonly levels: Readonly<Record<string, number>>
  /** Files that may be short although one file alone imports them, by their path below `src/domains/`. */
  readonly small: readonly string[]
}

/** Exceptions that can be removed, because the file no longer exists or is no longer too small. */
export function unneeded(files: readonly SourceFile[], exceptions: Exceptions): string[] {
  const paths = new Set(files.map(({ path }) => path))
  const small = tooSmall(files, { ...exceptions, small: [] })
  return [
    ...Object.keys(exceptions.levels).filter((path) => !paths.has(DOMAINS + path)),
    ...exceptions.small.filter((path) => !small.some((breach) => breach.startsWith(`${DOMAINS}${path} `))),
  ]
}

/** A file with fewer lines belongs in the file that imports it, if there is only one. */
export const MIN_LINES = 30

const DOMAINS = 'src/domains/'

/** The folder name of the domain that a file belongs to. */
export const domainOf = (path: string): string | undefined => /^src\/domains\/([^/]+)\//.exec(path)?.[1]

/** `service` of `codes.service.ts` and `codes.admin.service.ts`; undefined for other names. */
const kindOf = (path: string): string | undefined => /\/[a-z-]+(?:\.admin)?\.([a-z]+)\.ts$/.exec(path)?.[1]

function levelOf(path: string, { levels }: Exceptions): number | undefined {
  const exception = levels[path.slice(DOMAINS.length)]
  if (exception !== undefined) return exception
  return path.endsWith('/index.ts') ? INDEX_LEVEL : LEVELS[kindOf(path) ?? '']
}

/** The breach of a file's name, or undefined. */
export function wrongName(path: string, exceptions: Exceptions): string | undefined {
  if (domainOf(path) === undefined || levelOf(path, exceptions) !== undefined) return undefined
  return 'has a name that CONTRIBUTING.md does not list for files of a domain'
}

/** The breach of one import within a domain, or undefined. */
export function wrongPart(path: string, { target, typeOnly }: Import, exceptions: Exceptions): string | undefined {
  const domain = domainOf(path)
  if (domain === undefined) return undefined
  if (kindOf(path) === 'rules' && !typeOnly && isImpure(target)) return `imports ${target}: rules are pure`
  if (domain !== domainOf(target) || !target.endsWith('.ts')) return undefined
  if (target === `${DOMAINS}${domain}/index.ts`) return `imports its own domain's index.ts`
  const [from, to] = [levelOf(path, exceptions), levelOf(target, exceptions)]
  return from !== undefined && to !== undefined && to > from ? `imports ${target}, which is above it` : undefined
}

/** Rules know only their arguments: they read nothing and do not import the context. */
const isImpure = (target: string): boolean =>
  /^src\/(?:db|context)\b/.test(target) || /^(?:node:fs|node:net|bun:sqlite)/.test(target)

const REGISTER = /^export\s+(?:async\s+)?(?:function|const|let|class)\s+(register[A-Z]\w*)/m

/** The breach of a function that another domain would have to call at start: that belongs in the domain's record. */
export function registers({ path, text }: SourceFile): string | undefined {
  const name = domainOf(path) === undefined ? undefined : REGISTER.exec(text)?.[1]
  return name && `exports ${name}: use an event or a contribution of the domain's record`
}

/**
 * The breaches of files that are too small to stand alone. A store may be small, since only stores contain SQL. So may a standard
 * file that only the domain's index.ts imports, since the index contains no code but its record.
 */
export function tooSmall(files: readonly SourceFile[], exceptions: Exceptions): string[] {
  const importers = new Map<string, string[]>()
  for (const [from, targets] of importGraph(files))
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), from])
  return files.flatMap(({ path, text }) => {
    const domain = domainOf(path)
    const [importer, ...others] = importers.get(path) ?? []
    const lines = text.split('\n').length - 1
    if (domain === undefined || importer === undefined || others.length > 0 || domainOf(importer) !== domain) return []
    if (lines >= MIN_LINES || kindOf(path) === 'store') return []
    if (importer === `${DOMAINS}${domain}/index.ts` && kindOf(path) !== undefined) return []
    if (exceptions.small.includes(path.slice(DOMAINS.length))) return []
    return [`${path} has ${lines} lines and only ${importer} imports it: merge the two`]
  })
}
