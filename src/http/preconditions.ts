/**
 * `If-Match`: a change is made only while the row has the version that the caller has seen. Without the header the last writer wins.
 *
 * The version is compared in the operation's first write, so that no other write comes between. An operation only
 * names its row in the record.
 */

import type { TSchema } from '@sinclair/typebox'

import type { AppContext } from '#context'
import type { Db, Tx, WriteBody } from '#db/store.ts'

import { AppError } from './errors.ts'
import { invalid } from './validate.ts'

/** The row that an operation changes. Its id is the last number of the path. */
export interface VersionedRow<Input> {
  /** See `versionIn` (db/row-version.ts). Undefined if there is no such row. */
  version(db: Db | Tx, id: number): Promise<number | undefined>
  /** The shape of `show`. */
  readonly view: TSchema
  /** The row as it is now, as the caller sees it. @throws AppError 404 if the caller may not know of it */
  show(input: Input): Promise<unknown>
}

class Changed extends AppError {
  constructor(data?: unknown) {
    super(
      412,
      4024,
      { en: 'It has been changed since you read it', zh: '内容在你读取之后已被修改' },
      data === undefined ? {} : { data },
    )
  }
}

/** Whether its answer is a row with a version. */
export const showsVersion = ({ data }: { readonly data?: TSchema | undefined }): boolean =>
  (data?.['properties'] as Record<string, TSchema> | undefined)?.['version']?.['x-version'] === true

/** A proxy that compresses answers makes tags weak (`W/"3"`). Ours name versions, not bytes, so that they mean the same. */
const TAG = /^(?:W\/)?"([\x21\x23-\x7e]*)"$/

/** The versions of the header. @throws AppError 400 if it is malformed */
function versionsIn(header: string): Set<string> {
  const tags = header.split(',').map((tag) => TAG.exec(tag.trim())?.[1])
  if (tags.includes(undefined))
    throw invalid('header.If-Match', 'must be an ETag in quotes, such as "3"', '须为带引号的 ETag，例如 "3"')
  return new Set(tags as string[])
}

/** `*` matches every version, so there is nothing to compare. */
const isAny = (header: string): boolean => header.trim() === '*'

/** Refuses a condition that would be ignored. @throws AppError 400 */
export function refuseCondition(header: string): void {
  if (!isAny(header))
    throw invalid('header.If-Match', 'is not possible here: no version is compared', '此操作不比较版本，不能使用')
}

/**
 * Calls `run`, whose change is only made if the row has a version of the header.
 * @throws AppError 412 with the present row if it has another one
 */
export async function runIfMatch<I extends { readonly ctx: AppContext; readonly params: unknown }>(
  row: VersionedRow<I>,
  header: string,
  input: I,
  run: () => unknown,
): Promise<unknown> {
  if (isAny(header)) return run()
  const versions = versionsIn(header)
  const { db } = input.ctx
  // Operations without one are about the only row of its kind.
  const id = Object.values(input.params ?? {}).findLast((value): value is number => typeof value === 'number')!
  const check = async (reader: Db | Tx): Promise<void> => {
    const version = await row.version(reader, id)
    // The operation itself says that there is no such row.
    if (version !== undefined && !versions.has(String(version))) throw new Changed()
  }
  let writes = 0
  const around = <T>(_: string, body: WriteBody<T>): WriteBody<T> =>
    writes++ > 0 ? body : async (tx) => check(tx).then(() => body(tx))
  try {
    const result = await db.aroundWrites(around, run)
    // The operation had nothing to change.
    if (writes === 0) await check(db.read)
    return result
  } catch (error) {
    if (error instanceof Changed) throw new Changed(await row.show(input))
    throw error
  }
}
