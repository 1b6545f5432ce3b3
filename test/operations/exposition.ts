/** Reads Prometheus' text format strictly, and says how a text differs from it. */

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^{}]*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?))$/
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*="[^"\\\n]*"$/

export interface Family {
  readonly name: string
  readonly type: string
  /** By the name of the series with its labels. */
  readonly samples: ReadonlyMap<string, number>
}

/** @throws Error that names the first line which is not as the format demands */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, { name: string; type: string; samples: Map<string, number> }>()
  let current: { name: string; type: string; samples: Map<string, number> } | undefined
  let help: string | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`)
    }
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') {
      if (!NAME.test(name) || families.has(name)) fail('a second or invalid HELP')
      help = name
    } else if (kind === 'TYPE') {
      if (help !== name || families.has(name)) fail('a TYPE without its HELP')
      if (!['counter', 'gauge', 'histogram'].includes(rest)) fail('an unknown type')
      if ((rest === 'counter') !== name.endsWith('_total')) fail('counters, and only they, end in _total')
      families.set(name, (current = { name, type: rest, samples: new Map() }))
    } else {
      const found = SAMPLE.exec(line) ?? fail('not a sample')
      const [series, labels] = [found[1]!, found[2]]
      const suffix = current?.type === 'histogram' ? /^(.*)_(?:bucket|sum|count)$/.exec(series)?.[1] : series
      if (current === undefined || suffix !== current.name) fail('a sample outside of its metric')
      if (labels?.split(/,(?=[a-zA-Z_]+=")/).every((label) => LABEL.test(label)) === false) fail('an invalid label')
      const key = line.slice(0, line.lastIndexOf(' '))
      if (current!.samples.has(key)) fail('a second sample')
      current!.samples.set(key, Number(found[3]))
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family)
  return families
}

function checkHistogram({ name, samples }: Family): void {
  const last = new Map<string, number>()
  for (const [key, value] of samples) {
    const [, labels, bound] = /_bucket\{(.*?),?le="(.+)"\}$/.exec(key) ?? []
    if (labels === undefined) continue
    if (value < (last.get(labels) ?? 0)) throw new Error(`a bucket below the one before it: ${key}`)
    last.set(labels, value)
    if (bound === '+Inf' && samples.get(`${name}_count${labels && `{${labels}}`}`) !== value)
      throw new Error(`a histogram whose count differs: ${key}`)
  }
}

/** The value of a series. */
export const valueOf = (families: ReadonlyMap<string, Family>, family: string, series = family): number | undefined =>
  families.get(family)?.samples.get(series)
