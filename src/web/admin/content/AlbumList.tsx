/** Photos in the albums of all users and organizations. */

import { PhotoLibrary } from '@mui/icons-material'

import { useLabels } from '../../i18n/fields.ts'
import { bytes, dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { createdColumn, Owner, ownerColumn, ownerFilters, position } from './shared.tsx'

const words = texts({
  en: {
    title: 'Photos',
    none: 'No photos yet',
    noneText: 'Photos that users add to their albums are listed here.',
    remove:
      'The photo and its picture are deleted, also on devices that work offline. Copies that were shared are kept. This cannot be undone.',
    pixels: 'Pixels',
    position: 'Position',
    watermark: 'Watermark',
  },
  zh: {
    title: '照片',
    none: '还没有照片',
    noneText: '用户添加到相册的照片会显示在这里。',
    remove: '照片及图片文件将被删除，离线设备上的也会移除；共享副本会保留。此操作无法撤销。',
    pixels: '像素',
    position: '经纬度',
    watermark: '水印',
  },
})

export default function AlbumList() {
  const t = useTexts(words)
  const f = useLabels()
  return (
    <DetailTable
      operation="admin.albums.list"
      title={t.title}
      sort="-createdAt"
      filters={[searchFilter, ...ownerFilters, { source: 'qrCodeId', kind: 'number' }, ...timeFilters]}
      columns={[
        { source: 'name', picture: ({ thumbnailUrl, url }) => thumbnailUrl ?? url },
        ownerColumn(),
        { source: 'takenAt', kind: 'time' },
        { source: 'address', phone: 'hidden' },
        { source: 'size', kind: 'bytes' },
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <>
          <img src={row.url} alt={row.name} style={{ maxWidth: '100%', maxHeight: 320, objectFit: 'contain' }} />
          <Facts
            items={[
              [f('owner'), <Owner key="owner" row={row} />],
              [f('takenAt'), dateTime(row.takenAt)],
              [f('address'), row.address],
              [t.position, position(row.latitude, row.longitude)],
              [
                t.watermark,
                row.watermark &&
                  Object.values(row.watermark)
                    .filter((text) => typeof text === 'string')
                    .join('\n'),
              ],
              [t.pixels, row.width !== null && row.height !== null && `${row.width} × ${row.height}`],
              [f('size'), bytes(row.size)],
              [f('qrCodeId'), row.qrCodeId],
              [f('createdAt'), dateTime(row.createdAt)],
              [f('id'), row.id],
            ]}
          />
        </>
      )}
      target="ALBUM_PHOTO"
      removal={{ operation: 'admin.albums.delete', param: 'photoId', text: t.remove }}
      empty={{ icon: PhotoLibrary, title: t.none, text: t.noneText }}
    />
  )
}
