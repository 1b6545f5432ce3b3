/** Metrics in Prometheus' text format (version 0.0.4). Labels have values from fixed sets: never ids, names or addresses. */

export interface Metric {
  readonly name: string
  readonly help: string
}

/** Ends in `_total`. */
export type Counter = Metric

export interface HistogramOf extends Metric {
  /** Upper bounds. */
  readonly buckets: readonly number[]
}

export type Labels = Readonly<Record<string, string>>
/** A value, or one for each set of labels. */
export type Measured = number | readonly (readonly [Labels, number])[]

/** The endpoint that has answered. */
interface Answering {
  readonly id: string
  readonly tag: string
}

export interface Metrics {
  /** A request is being answered; `request` ends it. */
  begin(): void
  /** Counts an answered request. */
  request(endpoint: Answering, status: number, ms: number): void
  /** Requests that were answered since the start. */
  answered(): number
  /** Adds 1 to a counter. Labels have the same order in every call. */
  count(counter: Counter, labels: Labels): void
  /** A function that adds to a counter: for frequent use, and for counters that are shown before they count. */
  counter(counter: Counter, labels?: Labels): (by?: number) => void
  /** A function that adds a value to a histogram. */
  histogram(of: HistogramOf, labels?: Labels): (value: number) => void
  /** `measure` is called when the metrics are asked for. A second call for the same metric replaces the first. */
  gauge(of: Metric, measure: () => Measured): void
  render(): string
}

/** Upper bounds in seconds, Prometheus' defaults. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const REQUESTS = { name: 'tessera_http_requests_total', help: 'Requests answered.' }
const REQUEST_SECONDS = {
  name: 'tessera_http_request_seconds_total',
  help: 'Time to answer all requests of an endpoint.',
}
const DURATION = {
  name: 'tessera_http_request_duration_seconds',
  help: 'Time to answer, by area of the API.',
  buckets: SECONDS,
}
const IN_FLIGHT = { name: 'tessera_requests_in_flight', help: 'Requests that are being answered.' }

/**
 * Series of `tessera_http_requests_total`. Further pairs of an endpoint and a status are counted for the endpoint `other`. Times have
 * buckets for areas only: those of 500 endpoints would be 7,000 series.
 */
const MAX_REQUEST_SERIES = 1500

class Histogram {
  readonly #counts: number[]
  sum = 0
  count = 0
  constructor(readonly buckets: readonly number[]) {
    this.#counts = Array.from({ length: buckets.length + 1 }, () => 0)
  }
  readonly add = (value: number): void => {
    let i = 0
    while (i < this.buckets.length && value > this.buckets[i]!) i++
    this.#counts[i]!++
    this.sum += value
    this.count++
  };
  *lines(name: string, labels: string): Generator<string> {
    const before = labels === '' ? '' : `${labels},`
    let below = 0
    for (const [i, bound] of [...this.buckets, '+Inf'].entries()) {
      below += this.#counts[i]!
      yield `${name}_bucket{${before}le="${bound}"} ${below}`
    }
    yield line(`${name}_sum`, labels, this.sum)
    yield line(`${name}_count`, labels, this.count)
  }
}

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}`

const labelled = (labels: Labels): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join()

/** The lines of a metric in the text format. */
export function metricText({ name, help }: Metric, type: 'counter' | 'gauge', values: Measured): string {
  const series =
    typeof values === 'number' ? [line(name, '', values)] : values.map(([of, n]) => line(name, labelled(of), n))
  return [...header(name, help, type), ...series, ''].join('\n')
}

const header = (name: string, help: string, type: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

/** The values of a metric by their labels. */
class Family<M extends Metric, V> {
  readonly series = new Map<string, V>()
  constructor(readonly metric: M) {}
  of(labels: string, create: () => V): V {
    let value = this.series.get(labels)
    if (value === undefined) this.series.set(labels, (value = create()))
    return value
  }
}

interface Count {
  value: number
}

export function createMetrics(): Metrics {
  const counters = new Map<string, Family<Counter, Count>>()
  const histograms = new Map<string, Family<HistogramOf, Histogram>>()
  const gauges = new Map<string, { readonly of: Metric; measure(): Measured }>()
  let inFlight = 0
  let answered = 0

  function countOf(counter: Counter, labels: string): Count {
    let family = counters.get(counter.name)
    if (family === undefined) counters.set(counter.name, (family = new Family(counter)))
    return family.of(labels, () => ({ value: 0 }))
  }
  function histogramOf(of: HistogramOf, labels: string): Histogram {
    let family = histograms.get(of.name)
    if (family === undefined) histograms.set(of.name, (family = new Family(of)))
    return family.of(labels, () => new Histogram(of.buckets))
  }

  /** By endpoint: its counts by status, its time, and the histogram of its area. */
  const requests = new Map<string, { byStatus: Map<number, Count>; time: Count; area: Histogram }>()
  let requestSeries = 0

  return {
    begin() {
      inFlight++
    },
    request({ id, tag }, status, ms) {
      inFlight--
      answered++
      let entry = requests.get(id)
      if (entry === undefined) {
        const time = countOf(REQUEST_SECONDS, `endpoint="${id}"`)
        const area = histogramOf(DURATION, `area="${tag}"`)
        requests.set(id, (entry = { byStatus: new Map(), time, area }))
      }
      let count = entry.byStatus.get(status)
      if (count === undefined) {
        const name = requestSeries < MAX_REQUEST_SERIES ? id : 'other'
        count = countOf(REQUESTS, `endpoint="${name}",status="${status}"`)
        requestSeries = counters.get(REQUESTS.name)!.series.size
        entry.byStatus.set(status, count)
      }
      count.value++
      entry.time.value += ms / 1000
      entry.area.add(ms / 1000)
    },
    count(counter, labels) {
      countOf(counter, labelled(labels)).value++
    },
    counter(counter, labels = {}) {
      const count = countOf(counter, labelled(labels))
      return (by = 1) => void (count.value += by)
    },
    histogram: (of, labels = {}) => histogramOf(of, labelled(labels)).add,
    gauge(of, measure) {
      gauges.set(of.name, { of, measure })
    },
    answered: () => answered,
    render() {
      const lines: string[] = []
      for (const { metric, series } of counters.values()) {
        lines.push(...header(metric.name, metric.help, 'counter'))
        for (const [labels, { value }] of series) lines.push(line(metric.name, labels, value))
      }
      for (const { metric, series } of histograms.values()) {
        lines.push(...header(metric.name, metric.help, 'histogram'))
        for (const [labels, histogram] of series) lines.push(...histogram.lines(metric.name, labels))
      }
      const measured = [...gauges.values()].map(({ of, measure }) => metricText(of, 'gauge', measure()))
      return [lines.join('\n') + '\n', metricText(IN_FLIGHT, 'gauge', inFlight), ...measured, ...processTexts()].join(
        '',
      )
    },
  }
}

/** With the names of Prometheus' own client libraries. */
function processTexts(): string[] {
  const { user, system } = process.cpuUsage()
  return [
    metricText(
      { name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' },
      'counter',
      (user + system) / 1e6,
    ),
    metricText(
      { name: 'process_resident_memory_bytes', help: 'Resident memory size in bytes.' },
      'gauge',
      process.memoryUsage.rss(),
    ),
  ]
}
