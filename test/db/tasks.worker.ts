/** A worker for worker-host.test.ts. */

import type { WorkerReply, WorkerRequest } from '#db/engine/worker-host.ts'

declare const self: Worker

export type TestTask =
  | { kind: 'echo'; value: unknown }
  /** Answers with a number that is different in each worker. */
  | { kind: 'instance' }
  /** Answers with an error that has a `code`. */
  | { kind: 'fail'; code: string; message: string }
  /** Throws outside of any task, so that the worker itself fails. */
  | { kind: 'crash' }
  | { kind: 'never answer' }

const instance = crypto.getRandomValues(new Uint32Array(1))[0]!

self.addEventListener('message', ({ data: { id, task } }: MessageEvent<WorkerRequest<TestTask>>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  const reply = (answer: Omit<WorkerReply<unknown>, 'id'>): void => self.postMessage({ id, ...answer })
  if (task.kind === 'echo') reply({ result: task.value })
  else if (task.kind === 'instance') reply({ result: instance })
  else if (task.kind === 'fail') reply({ error: { code: task.code, message: task.message } })
  else if (task.kind === 'crash') throw new Error('crashed on purpose')
})
