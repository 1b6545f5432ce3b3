/**
 * Questions to the other processes of the server. A question is a notification of the bus, and so is each part of an answer: at most 8,000 bytes,
 * and without a promise to arrive. Nothing of it is stored.
 */

import { type AppContext, perContext } from '#context'
import { topic } from '#platform/bus.ts'
import { SECOND } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { idOf } from './operations.service.ts'

/** `processes`: the ids of those that should answer. */
interface Question {
  readonly question: string
  readonly about: string
  readonly processes: readonly string[]
  readonly input: unknown
}
/** `text`: JSON, compressed, as base64. */
interface Part {
  readonly question: string
  readonly process: string
  readonly part: number
  readonly parts: number
  readonly text: string
}

const asked = topic<Question>('operations.asked')
const answered = topic<Part>('operations.answered')

const WAIT_MS = 2 * SECOND
/** Characters of a part: with the rest of the notification below 8,000 bytes. */
const PART_LENGTH = 7000
/** Longer answers are not sent: the bus keeps 1,000 notifications that wait. */
const MAX_PARTS = 100

class Asking {
  readonly answers = new Map<string, unknown>()
  readonly #parts = new Map<string, string[]>()
  readonly #complete = Promise.withResolvers<void>()

  constructor(readonly processes: readonly string[]) {}

  add({ process, part, parts, text }: Part): void {
    if (!this.processes.includes(process)) return
    const known = this.#parts.get(process) ?? []
    known[part] = text
    this.#parts.set(process, known)
    if (Object.keys(known).length < parts) return
    this.answers.set(process, decoded(known.join('')))
    if (this.answers.size === this.processes.length) this.#complete.resolve()
  }

  async wait(): Promise<void> {
    let timer: Timer | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAIT_MS)))
    await Promise.race([this.#complete.promise, late])
    clearTimeout(timer)
  }
}

const encoded = (value: unknown): string => Buffer.from(Bun.gzipSync(JSON.stringify(value))).toString('base64')
const decoded = (text: string): unknown =>
  JSON.parse(Buffer.from(Bun.gunzipSync(Buffer.from(text, 'base64'))).toString())

const running = perContext(() => new Map<string, Asking>())

/** Asks the processes with these ids. Resolves with the answers by id when all have come, or after 2 seconds with those that have. */
export async function askOthers<Answer>(
  ctx: AppContext,
  about: string,
  processes: readonly string[],
  input: unknown,
): Promise<ReadonlyMap<string, Answer>> {
  const asking = new Asking(processes)
  if (processes.length === 0) return new Map()
  const question = uuid()
  running(ctx).set(question, asking)
  ctx.bus.tell(asked, { question, about, processes, input })
  await asking.wait()
  running(ctx).delete(question)
  return asking.answers as Map<string, Answer>
}

/** Answers the questions of other processes, and hears their answers. To be called once. */
export function answerOthers(ctx: AppContext, answers: Readonly<Record<string, (input: never) => unknown>>): void {
  const { bus } = ctx
  bus.on(asked, ({ question, about, processes, input }) => {
    const process = idOf(ctx)
    const answer = answers[about]
    if (answer === undefined || !processes.includes(process)) return
    const text = encoded(answer(input as never))
    const parts = Math.ceil(text.length / PART_LENGTH)
    if (parts > MAX_PARTS) return
    for (let part = 0; part < parts; part++)
      bus.tell(answered, {
        question,
        process,
        part,
        parts,
        text: text.slice(part * PART_LENGTH, (part + 1) * PART_LENGTH),
      })
  })
  bus.on(answered, (part) => running(ctx).get(part.question)?.add(part))
}
