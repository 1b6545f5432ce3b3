/** Time, place and size of a photo, and the texts of its watermark. */

import { Link as MuiLink, Typography } from '@mui/material'
import { Link } from 'react-router'

import type { AlbumPhoto } from '../../api/types.ts'
import { bytes, dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { MapLink } from '../../ui/MapLink.tsx'
import { OwnerBar } from '../../ui/Owned.tsx'
import { Facts } from '../../ui/parts.tsx'
import { watermarkTexts } from './photo.ts'

const words = texts({
  en: {
    taken: 'Taken',
    added: 'Added',
    place: 'Place',
    size: 'Size',
    pixels: (w: number, h: number) => `${w} × ${h} pixels`,
    watermark: 'Text on the photo',
    code: 'QR code',
    openCode: 'Open the code',
  },
  zh: {
    taken: '拍摄时间',
    added: '添加时间',
    place: '地点',
    size: '大小',
    pixels: (w: number, h: number) => `${w} × ${h} 像素`,
    watermark: '照片上的文字',
    code: '二维码',
    openCode: '打开二维码',
  },
})

export function PhotoFacts({ photo }: { photo: AlbumPhoto }) {
  const t = useTexts(words)
  const may = useMay()
  const { latitude, longitude, width, height } = photo
  const marks = watermarkTexts(photo)
  return (
    <>
      <OwnerBar />
      <Typography variant="h2" sx={{ mb: 1.5, overflowWrap: 'anywhere' }}>
        {photo.name}
      </Typography>
      <Facts
        items={[
          [t.taken, dateTime(photo.takenAt)],
          [
            t.place,
            (photo.address !== null || latitude !== null) && (
              <span key="place">
                {photo.address}{' '}
                {latitude !== null && longitude !== null && (
                  <MapLink latitude={latitude} longitude={longitude} sx={{ display: 'inline-block', py: 0.5 }} />
                )}
              </span>
            ),
          ],
          [t.watermark, marks.length > 0 && marks.map((text) => <div key={text}>{text}</div>)],
          [
            t.code,
            photo.qrCodeId !== null && may('qrCodes.get') && (
              <MuiLink key="code" component={Link} to={`/codes/${photo.qrCodeId}`}>
                {t.openCode}
              </MuiLink>
            ),
          ],
          [
            t.size,
            [width !== null && height !== null && t.pixels(width, height), bytes(photo.size)]
              .filter(Boolean)
              .join(' · '),
          ],
          [t.added, dateTime(photo.createdAt)],
        ]}
      />
    </>
  )
}
