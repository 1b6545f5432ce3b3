/** Whether codes with a look can be read. */

import type { AppContext } from '#context'
import type { QrLook } from '#db/schema/qr-designs.ts'
import type { Db, Tx } from '#db/store.ts'
import { type FileRow, findFiles } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { codewordsOf } from '#lib/qr/codewords.ts'
import { type DesignSymbol, designSymbol, type Look } from '#lib/qr/design/index.ts'

import { checkDesign, loadPictures } from '../drawing/drawing.service.ts'
import * as errors from './looks.errors.ts'
import { filesOf, levelOf } from './looks.rules.ts'
import type { DesignRow } from './looks.store.ts'

const MIMES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp']
const MAX_BYTES = 2 * 1024 * 1024
const MAX_STRIP = { width: 2400, height: 600 }

/**
 * Checks the pictures of a look, except those that the design has already. Whether the caller may use a file is checked here because it is read
 * before the write, and again when it is attached. @throws AppError 400
 */
export async function checkFiles(ctx: AppContext, owner: Owner, look: QrLook, before?: DesignRow): Promise<void> {
  const known = before ? filesOf(before.look) : []
  const files = new Map((await findFiles(ctx.db.read, filesOf(look))).map((file) => [file.id, file]))
  const check = (fileId: number | null | undefined, path: string): FileRow | undefined => {
    if (fileId == null || known.includes(fileId)) return undefined
    const file = files.get(fileId)
    if (
      file?.uploaderId !== owner.userId ||
      file.orgId !== owner.orgId ||
      file.type !== 'qr_code' ||
      file.entityType !== null
    )
      throw errors.notUsable(path)
    if (!MIMES.includes(file.mime)) throw errors.wrongKind(path)
    if (file.size > MAX_BYTES) throw errors.tooManyBytes(path)
    return file
  }
  check(look.logo?.fileId, 'body.logo.fileId')
  const path = 'body.frame.textFileId'
  const strip = check(look.frame?.textFileId, path)
  if (strip && (strip.width! > MAX_STRIP.width || strip.height! > MAX_STRIP.height)) throw errors.stripTooLarge(path)
  if (look.logo && look.logo.fileId === look.frame?.textFileId) throw errors.notUsable(path)
}

/** The content of a picture, and the code that it is of. */
export interface Sample<T> {
  readonly content: string
  readonly of: T
}

export interface Unreadable<T> {
  readonly problem: FieldProblem
  readonly codes: readonly T[]
}

/**
 * The samples that cannot be read with a look. Of all samples with a symbol of the same version, the longest is drawn and read.
 * `where` is the first part of the paths of bad fields.
 */
export async function findUnreadable<T>(
  ctx: AppContext,
  userId: number,
  look: QrLook,
  samples: readonly Sample<T>[],
  where: string,
): Promise<Unreadable<T>[]> {
  const files = await findFiles(ctx.db.read, filesOf(look))
  const fileWith = (id: number | null | undefined) => files.find((file) => file.id === id)
  const drawn = drawnLook(look, files)
  const pictures = await loadPictures(ctx, userId, {
    logo: fileWith(look.logo?.fileId),
    strip: fileWith(look.frame?.textFileId),
  })
  const level = levelOf(look)
  const versions = Map.groupBy(samples, ({ content }) => codewordsOf(content, level)?.version ?? 0)
  const found: Unreadable<T>[] = []
  for (const group of versions.values()) {
    const longest = group.reduce((one, other) => (other.content.length > one.content.length ? other : one))
    const [problem] = (await checkDesign(ctx, userId, drawn, longest.content, pictures)).problems
    if (problem)
      found.push({
        problem: { path: `${where}.${problem.path}`, text: problem.text },
        codes: group.map(({ of }) => of),
      })
  }
  return found
}

/** The look as it is drawn. Pictures that are gone are left out. */
export function drawnLook(look: QrLook, files: readonly FileRow[]): Look {
  const sizeOf = (id: number | null | undefined) => {
    const file = files.find((one) => one.id === id)
    return file?.width && file.height ? { width: file.width, height: file.height } : null
  }
  const { logo, frame } = look
  const size = sizeOf(logo?.fileId)
  return {
    ...look,
    logo: logo && size && { size: logo.size, plate: logo.plate, aspect: size.width / size.height },
    frame: frame && { position: frame.position, text: frame.text, color: frame.color, strip: sizeOf(frame.textFileId) },
  }
}

/** The symbol of a content with a look. @throws QrTooLong */
export const drawnSymbol = async (db: Db | Tx, look: QrLook, content: string): Promise<DesignSymbol> =>
  designSymbol(content, drawnLook(look, await findFiles(db, filesOf(look))))

/** @throws AppError 400 that names up to 20 of the codes that cannot be read */
export async function requireReadable(
  ctx: AppContext,
  userId: number,
  look: QrLook,
  samples: readonly Sample<string>[],
  where: string,
): Promise<void> {
  const found = await findUnreadable(ctx, userId, look, samples, where)
  if (found.length === 0) return
  const names = found.flatMap(({ codes }) => codes).filter((name) => name !== '')
  throw invalidAll(found.map(({ problem }) => errors.withCodes(problem, names)))
}
