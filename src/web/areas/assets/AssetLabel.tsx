/** The QR code of an asset: as a picture, to print, and the link to the public page. */

import { Download, OpenInNew, Print } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { download, urlOf } from '../../api/client.ts'
import type { Asset } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { AddressWarning, usePrinting } from '../../ui/AddressWarning.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Label',
    alt: (number: string) => `QR code of ${number}`,
    public: 'Public page',
    hidden: 'People who scan this label see nothing yet. Choose what they may see.',
  },
  zh: {
    ...common.zh,
    title: '标签',
    alt: (number: string) => `${number} 的二维码`,
    public: '公开页面',
    hidden: '他人扫描标签时不显示任何内容：尚未选择公开字段。',
  },
})

/** The address of the picture of an asset's code. */
export const labelPicture = (content: string, format: 'svg' | 'png' = 'svg'): string =>
  urlOf('qrcode.render', { query: { content, format, size: format === 'png' ? 1000 : 300, margin: 1 } })

export function AssetLabel({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const ownedPath = useOwnedPath()
  const { ask, question } = usePrinting()
  const save = (format: 'svg' | 'png') =>
    download(
      'qrcode.render',
      { query: { content: asset.qrContent, format, size: 1000, margin: 1 } },
      `${asset.assetNo}.${format}`,
    ).catch((error: unknown) => notify((error as Error).message, 'error'))
  const isPublic = asset.publicFields.length > 0
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" sx={{ mb: 1 }}>
          {t.title}
        </Typography>
        <AddressWarning sx={{ mb: 2 }} />
        <Stack direction="row" spacing={2} sx={{ alignItems: 'center' }}>
          <Box
            component="img"
            src={labelPicture(asset.qrContent)}
            alt={t.alt(asset.assetNo)}
            sx={{ width: 128, height: 128, bgcolor: '#fff', borderRadius: 1, flexShrink: 0 }}
          />
          <Stack sx={{ alignItems: 'flex-start' }}>
            <Button component={Link} to={ownedPath(`/assets/labels?ids=${asset.id}`)} startIcon={<Print />}>
              {t.print}
            </Button>
            <Button startIcon={<Download />} onClick={() => ask(() => void save('png'))}>
              PNG
            </Button>
            <Button startIcon={<Download />} onClick={() => ask(() => void save('svg'))}>
              SVG
            </Button>
            {isPublic && (
              <Button href={asset.publicUrl} target="_blank" rel="noopener" startIcon={<OpenInNew />}>
                {t.public}
              </Button>
            )}
          </Stack>
        </Stack>
        {!isPublic && (
          <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
            {t.hidden}
          </Typography>
        )}
        {question}
      </CardContent>
    </Card>
  )
}
