/** Counters in Prometheus' text format (version 0.0.4). */

export interface Counter {
  /** Ends in `_total`. */
  readonly name: string
  readonly help: string
}

export interface Metrics {
  /** Counts an answered request. */
  request(endpoint: string, status: number, ms: number): void
  /** Adds 1 to a counter. Labels have values from fixed sets and the same order in every call. */
  count(counter: Counter, labels: Readonly<Record<string, string>>): void
  render(): string
}

/** Upper bounds in seconds, Prometheus' defaults. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

class Histogram {
  readonly counts = Array.from({ length: BUCKETS.length + 1 }, () => 0)
  sum = 0
  count = 0
  add(seconds: number): void {
    let i = 0
    while (i < BUCKETS.length && seconds > BUCKETS[i]!) i++
    this.counts[i]!++
    this.sum += seconds
    this.count++
  }
}

export function createMetrics(): Metrics {
  const requests = new Map<string, { byStatus: Map<number, number>; time: Histogram }>()
  const counters = new Map<Counter, Map<string, number>>()
  return {
    count(counter, labels) {
      let series = counters.get(counter)
      if (series === undefined) counters.set(counter, (series = new Map()))
      const key = Object.entries(labels)
        .map(([label, value]) => `${label}="${value}"`)
        .join()
      series.set(key, (series.get(key) ?? 0) + 1)
    },
    request(endpoint, status, ms) {
      let entry = requests.get(endpoint)
      if (entry === undefined) requests.set(endpoint, (entry = { byStatus: new Map(), time: new Histogram() }))
      entry.byStatus.set(status, (entry.byStatus.get(status) ?? 0) + 1)
      entry.time.add(ms / 1000)
    },
    render() {
      const lines = [
        '# HELP tessera_http_requests_total Requests answered.',
        '# TYPE tessera_http_requests_total counter',
      ]
      for (const [endpoint, { byStatus }] of requests)
        for (const [status, count] of byStatus)
          lines.push(`tessera_http_requests_total{endpoint="${endpoint}",status="${status}"} ${count}`)
      lines.push(
        '# HELP tessera_http_request_duration_seconds Time to answer.',
        '# TYPE tessera_http_request_duration_seconds histogram',
      )
      for (const [endpoint, { time }] of requests) {
        let below = 0
        for (const [i, bound] of [...BUCKETS, '+Inf'].entries()) {
          below += time.counts[i]!
          lines.push(`tessera_http_request_duration_seconds_bucket{endpoint="${endpoint}",le="${bound}"} ${below}`)
        }
        lines.push(`tessera_http_request_duration_seconds_sum{endpoint="${endpoint}"} ${time.sum}`)
        lines.push(`tessera_http_request_duration_seconds_count{endpoint="${endpoint}"} ${time.count}`)
      }
      for (const [{ name, help }, series] of counters) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`)
        for (const [labels, count] of series) lines.push(`${name}{${labels}} ${count}`)
      }
      lines.push(...processLines())
      return lines.join('\n') + '\n'
    },
  }
}

/** With the names of Prometheus' own client libraries. */
function processLines(): string[] {
  const { user, system } = process.cpuUsage()
  return [
    '# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.',
    '# TYPE process_cpu_seconds_total counter',
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    '# HELP process_resident_memory_bytes Resident memory size in bytes.',
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
  ]
}
