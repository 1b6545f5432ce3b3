import { AppError } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { itemsOf, readLicenses } from '#platform/licenses.ts'

export const NOT_BUILT = {
  en: 'This server runs from its sources, and the list of licences is made by "bun run build"',
  zh: '服务器以源码方式运行，许可证列表由 “bun run build” 生成',
} as const satisfies Record<Locale, string>

/** Unpacked for each request, because few clients ask. */
export async function listLicenses() {
  const licenses = await readLicenses()
  if (licenses === undefined) throw new AppError(404, 404, NOT_BUILT)
  return itemsOf(licenses)
}
