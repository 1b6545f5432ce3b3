/** Compares servers in one run: measures them in turns (A B A B …) and takes the median of each. */

import type { LoadClient } from './load-client.ts'
import type { LoadResult, LoadSpec } from './load-spec.ts'
import { cpuSeconds } from './process.ts'
import { median } from './stats.ts'

export interface Contender {
  name: string
  pid: number
  load: Omit<LoadSpec, 'seconds'>
  /** Status that every answer must have; 200 by default. */
  expect?: number
  /** Milliseconds after the last answer in which the server still works for the requests: its processor time counts. */
  settleMs?: number
}

export interface Figures {
  perSecond: number
  /** User and system time of the server process per request, in microseconds. */
  cpuUs: number
  p50Ms: number
  p99Ms: number
  generatorBusy: number
}

export interface Rounds {
  rounds: number
  seconds: number
  warmUpSeconds: number
}

/** @throws Error if a server answers with another status than expected: a fast refusal would look like a good result */
export async function compare(client: LoadClient, contenders: Contender[], how: Rounds): Promise<Map<string, Figures>> {
  const taken = new Map<string, Figures[]>(contenders.map((c) => [c.name, []]))
  for (const contender of contenders) await once(client, contender, how.warmUpSeconds)
  for (let round = 0; round < how.rounds; round++)
    for (const contender of contenders) taken.get(contender.name)!.push(await once(client, contender, how.seconds))
  return new Map([...taken].map(([name, figures]) => [name, middle(figures)]))
}

async function once(client: LoadClient, contender: Contender, seconds: number): Promise<Figures> {
  const before = cpuSeconds(contender.pid)
  const result = await client.run({ ...contender.load, seconds })
  await Bun.sleep(contender.settleMs ?? 0)
  const cpu = cpuSeconds(contender.pid) - before
  requireAnswers(result, contender.name, contender.expect)
  return {
    perSecond: result.requests / result.seconds,
    cpuUs: (cpu * 1e6) / result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    generatorBusy: result.generatorBusy,
  }
}

/** @throws Error unless there are answers, and all of them have the status */
export function requireAnswers(result: LoadResult, name: string, expected = 200): void {
  const others = Object.keys(result.statuses).filter((status) => Number(status) !== expected)
  if (others.length > 0 || result.failed > 0 || result.requests === 0)
    throw new Error(
      `${name} answered ${JSON.stringify(result.statuses)}, lost ${result.failed}:\n${result.firstAnswer}`,
    )
}

function middle(figures: Figures[]): Figures {
  const of = (key: keyof Figures): number => median(figures.map((f) => f[key]))
  return {
    perSecond: of('perSecond'),
    cpuUs: of('cpuUs'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    generatorBusy: of('generatorBusy'),
  }
}
