/**
 * Joins small parts of the web application. The bundler makes one part of all modules that the same pages need. A hundred pages share 160 such
 * parts, most of them below 1 KiB, and a list needed 41 requests for scripts.
 *
 * A first build shows which pages load which parts. Two parts are joined if the requests that this saves are worth more than the bytes that some
 * pages then load without need. In the second build, each page that needs one part of a group imports the whole group, so that the bundler sees
 * modules that the same pages need and makes one part of them. A bad choice here can cost bytes, but never changes the order in which modules run.
 */

import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

/** Minified bytes that are loaded in the time of a request: a sixth of 150 ms at 1.6 Mbit/s, since browsers load six files of a server at once. */
const REQUEST = 15_000
/** How often a page is opened for each time that an ordinary page is. */
const WEIGHTS: Readonly<Record<string, number>> = { 'src/web/areas/codes/CodeList.tsx': 30 }

type Outputs = NonNullable<Bun.BuildOutput['metafile']>['outputs']

interface Group {
  /** Names of files of the first build. */
  readonly files: readonly string[]
  readonly bytes: number
  /** Pages that load it. */
  pages: Set<string>
  /** Groups that it imports. */
  needs: Set<Group>
}

const weigh = (pages: Iterable<string>): number => {
  let sum = 0
  for (const page of pages) sum += WEIGHTS[page] ?? 1
  return sum
}

/** Loaded before all pages of signed-in users, so that they have its parts. */
const SHELL = 'src/web/shell/Shell.tsx'

/** The parts that pages share, each a group of its own. */
function groupsOf(outputs: Outputs): Group[] {
  const closure = (name: string): string[] => {
    const names = new Set([name])
    for (const each of names)
      for (const { path, kind } of outputs[each]?.imports ?? []) if (kind === 'import-statement') names.add(path)
    return [...names]
  }
  const isPart = (name: string): boolean => name.endsWith('.js') && outputs[name]!.entryPoint === undefined
  const pages = new Map(
    Object.keys(outputs).flatMap((name) => {
      const source = outputs[name]!.entryPoint ?? ''
      return /^src\/web\/(?:admin|areas|shell|ui)\//.test(source) ? [[source, name]] : []
    }),
  )
  const shell = pages.get(SHELL)
  if (shell === undefined) return []
  const known = closure(shell)
  const parts = new Map<string, Group>()
  for (const [page, name] of pages)
    for (const part of closure(name).filter((each) => isPart(each) && !known.includes(each))) {
      const group = parts.get(part) ?? {
        files: [part],
        bytes: outputs[part]!.bytes,
        pages: new Set(),
        needs: new Set(),
      }
      parts.set(part, group)
      group.pages.add(page)
    }
  for (const [name, group] of parts) {
    group.needs = new Set(closure(name).flatMap((each) => parts.get(each) ?? []))
    group.needs.delete(group)
  }
  const bytes = known.filter(isPart).reduce((sum, name) => sum + outputs[name]!.bytes, 0)
  const ofShell: Group = { files: [], bytes, pages: new Set(pages.keys()), needs: new Set() }
  return [ofShell, ...parts.values()]
}

/** Minified bytes that `pages` load without need if they load a group, and with it the groups that it imports. */
const costOf = (group: Group, pages: ReadonlySet<string>, other: Group): number => {
  let cost = group.bytes * weigh(pages)
  for (const need of group.needs)
    if (need !== other) cost += (need.bytes + REQUEST) * weigh(pages.difference(need.pages))
  return cost
}

function join(groups: Group[]): Group[] {
  for (;;) {
    let best: [Group, Group] | undefined
    let gain = 0
    for (const [i, a] of groups.entries())
      for (const b of groups.slice(i + 1)) {
        const most = REQUEST * weigh(a.pages.intersection(b.pages))
        if (most <= gain) continue
        const found = most - costOf(a, b.pages.difference(a.pages), b) - costOf(b, a.pages.difference(b.pages), a)
        if (found > gain) [best, gain] = [[a, b], found]
      }
    if (best === undefined) return groups
    groups = joined(groups, best)
  }
}

/** Joins two groups, and those between them, which import one and are imported by the other. */
function joined(groups: readonly Group[], [a, b]: readonly [Group, Group]): Group[] {
  const between = groups.filter(
    (each) => (a.needs.has(each) && each.needs.has(b)) || (b.needs.has(each) && each.needs.has(a)),
  )
  const old = new Set([a, b, ...between])
  const group: Group = {
    files: [...old].flatMap(({ files }) => files),
    bytes: [...old].reduce((sum, { bytes }) => sum + bytes, 0),
    pages: [...old].reduce((all, { pages }) => all.union(pages), new Set<string>()),
    needs: [...old].reduce((all, { needs }) => all.union(needs), new Set<Group>()).difference(old),
  }
  for (const need of group.needs) need.pages = need.pages.union(group.pages)
  const others = groups.filter((each) => !old.has(each))
  for (const each of others) {
    const isUser = !each.needs.isDisjointFrom(old)
    if (isUser) each.needs = each.needs.difference(old).union(group.needs).add(group)
  }
  return [...others, group]
}

/** A plugin for the second build, with the decision from the outputs of the first. */
export function joinParts(root: string, outputs: Outputs): Bun.BunPlugin {
  const groups = join(groupsOf(outputs)).filter(({ files }) => files.length > 1)
  const modules = groups.map(({ files }) =>
    files.flatMap((name) => Object.keys(outputs[name]!.inputs)).map((path) => resolve(root, path)),
  )
  return {
    name: 'join-parts',
    setup(build) {
      build.onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.slice('group:'.length), namespace: 'group' }))
      build.onLoad({ filter: /./, namespace: 'group' }, ({ path }) => ({
        loader: 'js',
        contents: importsOf(modules[Number(path)]!),
      }))
      build.onLoad({ filter: /\/src\/web\/.*\.tsx?$/ }, ({ path }) => {
        const source = relative(root, path)
        const imports = groups.flatMap(({ pages }, n) =>
          pages.has(source) ? [`export { group as group${n} } from 'group:${n}'`] : [],
        )
        const contents = [readFileSync(path, 'utf8'), ...imports].join('\n')
        return { loader: path.endsWith('x') ? 'tsx' : 'ts', contents }
      })
    },
  }
}

/**
 * Imports modules. A package may say that its modules have no effects, and the bundler then drops an import whose value is not used, so the
 * values are used.
 */
function importsOf(modules: readonly string[]): string {
  const transpiler = new Bun.Transpiler({ loader: 'js' })
  const isValue = (path: string): boolean =>
    path.includes('/node_modules/') && transpiler.scan(readFileSync(path, 'utf8')).exports.includes('default')
  const values = modules.flatMap((path, n) => (isValue(path) ? [`v${n}`] : []))
  return [
    ...modules.map((path, n) => `import ${values.includes(`v${n}`) ? `v${n} from ` : ''}${JSON.stringify(path)}`),
    `export const group = [${values.join()}]`,
  ].join('\n')
}
