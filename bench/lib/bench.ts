/** Runs a line of the benchmark with the tools that every line uses. */

import { join } from 'node:path'

import { compare, type Contender, type Figures, type Rounds } from './compare.ts'
import { type LoadClient, startLoad } from './load-client.ts'
import { nodePeers } from './peers.ts'
import type { Started } from './process.ts'
import type { Report } from './report.ts'

export interface Bench {
  readonly report: Report
  readonly load: LoadClient
  /** A quick run that only shows that everything works; its figures are meaningless. */
  readonly smoke: boolean
  readonly rounds: Rounds
  /** A directory of this line, deleted at the end of the run. */
  readonly scratch: string
  /** Path of the compiled server. */
  readonly executable: string
  /** Whether the peers that run on Node can be used. If not, the report says so. */
  readonly peers: boolean
  /** URL of a PostgreSQL server on this machine, for a user who may create databases; '' if there is none. */
  readonly postgres: string
  /** Stops `server` at the end of the line, also after an error. */
  own(server: Started): Started
}

export interface LineModule {
  run(bench: Bench): Promise<void>
}

export interface BenchOptions {
  report: Report
  smoke: boolean
  scratch: string
  executable: string
  peers: boolean
  postgres: string
}

/** Runs one line and stops what it started. */
export async function runLine(module: LineModule, options: BenchOptions): Promise<void> {
  const servers: Started[] = []
  const load = startLoad()
  const peers = options.peers ? nodePeers(!options.smoke) : 'left out'
  if (peers !== 'ready') options.report.note(`Peers on Node: ${peers}; lines against them are missing.`)
  try {
    await module.run({
      report: options.report,
      smoke: options.smoke,
      scratch: options.scratch,
      executable: options.executable,
      postgres: options.postgres,
      load,
      peers: peers === 'ready',
      rounds: options.smoke
        ? { rounds: 1, seconds: 0.2, warmUpSeconds: 0.1 }
        : { rounds: 5, seconds: 1.5, warmUpSeconds: 1.5 },
      own(server) {
        servers.push(server)
        return server
      },
    })
  } finally {
    load.stop()
    await Promise.all(servers.map((server) => server.kill()))
  }
}

/** Measures all servers in turns. The returned function gives the figures of one, by name. */
export async function measure(
  bench: Bench,
  contenders: Contender[],
  rounds = bench.rounds,
): Promise<(name: string) => Figures> {
  const figures = await compare(bench.load, contenders, rounds)
  return (name) => {
    const found = figures.get(name)
    if (found === undefined) throw new Error(`no contender ${name}`)
    return found
  }
}

export const fileIn = (bench: Bench, ...parts: string[]): string => join(bench.scratch, ...parts)
