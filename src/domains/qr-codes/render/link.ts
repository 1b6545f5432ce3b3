/** Where a picture of a content is found: a path of this server, the same for the same input. */

import type { QrStyle } from '#db/schema/qr-codes.ts'

export function renderPath(content: string, style: QrStyle): string {
  let path = `/api/qrcode/render?content=${encodeURIComponent(content)}`
  if (style.level !== undefined) path += `&level=${style.level}`
  if (style.margin !== undefined) path += `&margin=${style.margin}`
  if (style.fg !== undefined) path += `&fg=${style.fg}`
  if (style.bg !== undefined) path += `&bg=${style.bg}`
  return path
}
