/** What every line is given. */

import { join } from 'node:path'

import { compare, type Contender, type Figures, type Rounds } from './compare.ts'
import { type LoadClient, startLoad } from './load-client.ts'
import { nodePeers } from './peers.ts'
import type { Started } from './process.ts'
import type { Report } from './report.ts'

export interface Bench {
  readonly report: Report
  readonly load: LoadClient
  /** Only proves that everything works: figures mean nothing. */
  readonly smoke: boolean
  readonly rounds: Rounds
  /** A directory of this run's own, deleted at its end. */
  readonly scratch: string
  /** The compiled product. */
  readonly executable: string
  /** Whether the peers on Node may be used; says so in the report when not. */
  readonly peers: boolean
  /** Stops with the line, whatever happens. */
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

/** All named servers in turns; the answer has a figure for each of them. */
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
