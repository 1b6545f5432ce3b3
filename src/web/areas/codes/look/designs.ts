import { useCall } from '../../../api/hooks.ts'
import type { QrCode } from '../../../api/types.ts'
import { useMay, useOwnerQuery } from '../../../session/session.ts'

/** All designs of the owner: 50 at most. */
export function useDesigns() {
  const owned = useOwnerQuery()
  return useCall('qrCodeDesigns.list', { query: { ...owned, size: 50 } }, { enabled: useMay()('qrCodeDesigns.list') })
}

/** The picture of a code that has a design. */
export function pictureUrl({ designId, imageUrl }: Pick<QrCode, 'designId' | 'imageUrl'>): string | undefined {
  return designId == null ? undefined : `${imageUrl}?format=svg`
}
