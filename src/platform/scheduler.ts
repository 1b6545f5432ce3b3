/** Runs background jobs at their intervals, by the clock that tests can move. Of several processes, one runs the jobs (db/processes.ts). */

import { type Clock, SECOND } from './clock.ts'
import type { Log } from './log.ts'

/** Idempotent work: it may be cut short at any moment and simply runs again. */
export interface ScheduledJob {
  readonly name: string
  /** Milliseconds from one start to the next, at least `TICK_MS`. A run that takes longer delays the next one: runs never overlap. */
  readonly every: number
  run(): Promise<void>
}

export interface Scheduler {
  /** Starts the jobs that are due. Called by a timer; tests call it after moving the clock. Resolves when these runs have ended. */
  tick(): Promise<void>
  /** Starts no more jobs and waits for those that are running. */
  stop(): Promise<void>
}

/** How often the scheduler looks for due jobs. */
export const TICK_MS = 10 * SECOND
/** No job runs in a server's first seconds, when clients reconnect after a restart. */
export const FIRST_RUN_AFTER_MS = 60 * SECOND

export interface SchedulerParts {
  readonly clock: Clock
  readonly log: Log
  /** Whether this process runs the jobs now. */
  mayRun(): boolean
}

export function startScheduler(jobs: readonly ScheduledJob[], { clock, log, mayRun }: SchedulerParts): Scheduler {
  const startedAt = clock.now()
  const lastStart = new Map<ScheduledJob, number>()
  const running = new Map<ScheduledJob, Promise<void>>()
  let stopped = false

  function isDue(job: ScheduledJob, now: number): boolean {
    const last = lastStart.get(job)
    // A clock that was set back must not keep a job from running until it has caught up.
    if (last === undefined) return now >= startedAt + FIRST_RUN_AFTER_MS || now < startedAt
    return now >= last + job.every || now < last
  }

  async function run(job: ScheduledJob): Promise<void> {
    try {
      await job.run()
    } catch (error) {
      log.error('job failed', { job: job.name, error })
    } finally {
      running.delete(job)
    }
  }

  async function tick(): Promise<void> {
    if (stopped || !mayRun()) return
    const now = clock.now()
    const started = jobs
      .filter((job) => !running.has(job) && isDue(job, now))
      .map((job) => {
        lastStart.set(job, now)
        const done = run(job)
        running.set(job, done)
        return done
      })
    await Promise.all(started)
  }

  const timer = setInterval(() => void tick(), TICK_MS)
  return {
    tick,
    async stop() {
      stopped = true
      clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}
