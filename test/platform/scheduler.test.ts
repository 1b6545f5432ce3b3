/** Background jobs run at their intervals by the clock, one run at a time, and are awaited at stop. */

import { expect, test } from 'bun:test'

import { HOUR, MINUTE } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { FIRST_RUN_AFTER_MS, type ScheduledJob, startScheduler } from '#platform/scheduler.ts'

class ManualClock {
  constructor(public time = 1_000_000) {}
  now = () => this.time
}

function start(jobs: readonly ScheduledJob[]) {
  const clock = new ManualClock()
  const lines: string[] = []
  const owner = { runsJobs: true }
  const log = createLog({ level: 'error', format: 'json', write: (line) => lines.push(line) })
  return { clock, lines, log, scheduler: startScheduler(jobs, { clock, log, mayRun: () => owner.runsJobs }), owner }
}

/** A job that counts its runs; `hold` keeps each run open until it is called. */
function countingJob(every: number) {
  let release = () => {}
  const job = {
    name: 'counting',
    every,
    runs: 0,
    held: undefined as Promise<void> | undefined,
    run: async () => {
      job.runs++
      await job.held
    },
    hold: () => {
      job.held = new Promise((resolve) => (release = resolve))
      return () => release()
    },
  }
  return job
}

test('a job first runs a minute after the start, then once in each interval', async () => {
  const job = countingJob(HOUR)
  const { clock, scheduler } = start([job])
  await scheduler.tick()
  expect(job.runs).toBe(0)
  clock.time += FIRST_RUN_AFTER_MS
  await scheduler.tick()
  await scheduler.tick()
  expect(job.runs).toBe(1)
  clock.time += HOUR - 1
  await scheduler.tick()
  expect(job.runs).toBe(1)
  clock.time += 1
  await scheduler.tick()
  expect(job.runs).toBe(2)
  await scheduler.stop()
})

test('a process that does not run the jobs starts none, and starts those that are due when it takes over', async () => {
  const job = countingJob(HOUR)
  const { clock, scheduler, owner } = start([job])
  owner.runsJobs = false
  clock.time += 2 * FIRST_RUN_AFTER_MS
  await scheduler.tick()
  expect(job.runs).toBe(0)
  owner.runsJobs = true
  await scheduler.tick()
  expect(job.runs).toBe(1)
  await scheduler.stop()
})

test('a run that takes longer than the interval delays the next run instead of overlapping it', async () => {
  const slow = countingJob(MINUTE)
  const quick = countingJob(MINUTE)
  const { clock, scheduler } = start([slow, quick])
  const release = slow.hold()
  clock.time += FIRST_RUN_AFTER_MS
  const first = scheduler.tick()
  // The quick job ends, the slow one is held.
  await Bun.sleep(0)
  clock.time += 3 * MINUTE
  await scheduler.tick()
  expect([slow.runs, quick.runs]).toEqual([1, 2])
  release()
  await first
  await scheduler.tick()
  expect(slow.runs).toBe(2)
  await scheduler.stop()
})

test('stop waits for the running job and starts no other', async () => {
  const job = countingJob(MINUTE)
  const { clock, scheduler } = start([job])
  const release = job.hold()
  clock.time += FIRST_RUN_AFTER_MS
  void scheduler.tick()
  let stopped = false
  const stopping = scheduler.stop().then(() => (stopped = true))
  await Bun.sleep(0)
  expect(stopped).toBe(false)
  release()
  await stopping
  clock.time += HOUR
  await scheduler.tick()
  expect(job.runs).toBe(1)
})

test('a job that fails is logged, and it and the other jobs run again', async () => {
  const failing = { name: 'failing', every: MINUTE, run: () => Promise.reject(new Error('the disk is full')) }
  const job = countingJob(MINUTE)
  const { clock, lines, log, scheduler } = start([failing, job])
  for (let i = 0; i < 2; i++) {
    clock.time += FIRST_RUN_AFTER_MS
    await scheduler.tick()
  }
  log.flush()
  expect(job.runs).toBe(2)
  expect(lines.join('').match(/"job":"failing"/g)).toHaveLength(2)
  await scheduler.stop()
})

test('a clock that is set back does not keep a job from running', async () => {
  const job = countingJob(HOUR)
  const { clock, scheduler } = start([job])
  clock.time += FIRST_RUN_AFTER_MS
  await scheduler.tick()
  clock.time -= 24 * HOUR
  await scheduler.tick()
  expect(job.runs).toBe(2)
  await scheduler.stop()
})
