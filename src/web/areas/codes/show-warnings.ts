/** The remarks of the server about a code that it has saved. */

import type { WrittenQrCode } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'

export function showWarnings({ warnings }: WrittenQrCode): void {
  for (const { message } of warnings) notify(message, 'warning')
}
