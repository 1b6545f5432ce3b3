import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { findFiles, urlsOf } from '#domains/files/index.ts'

import { filesOf } from '../looks/looks.rules.ts'
import { codeCounts, type DesignRow } from '../looks/looks.store.ts'
import type { DesignView } from './designs.model.ts'

export async function toViews(ctx: AppContext, db: Db | Tx, rows: readonly DesignRow[]): Promise<DesignView[]> {
  const files = await findFiles(
    db,
    rows.flatMap(({ look }) => filesOf(look)),
  )
  const urls = new Map(files.map((file) => [file.id, urlsOf(ctx, file).url]))
  const counts = await codeCounts(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => viewOf(row, urls, counts.get(row.id) ?? 0))
}

export const toView = async (ctx: AppContext, db: Db | Tx, row: DesignRow): Promise<DesignView> =>
  (await toViews(ctx, db, [row]))[0]!

function viewOf(row: DesignRow, urls: ReadonlyMap<number, string>, codeCount: number): DesignView {
  const { fg, bg, margin, level, modules, eyes, eyeColor, gradient, logo, frame } = row.look
  const urlOf = (id: number | null) => (id === null ? null : (urls.get(id) ?? null))
  return {
    id: row.id,
    orgId: orgOf(row.owner) || null,
    name: row.name,
    fg,
    bg,
    margin,
    level,
    modules,
    eyes,
    eyeColor,
    gradient,
    logo: logo && { ...logo, url: urlOf(logo.fileId) },
    frame: frame && { ...frame, url: urlOf(frame.textFileId) },
    isDefault: row.isDefault,
    codeCount,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
