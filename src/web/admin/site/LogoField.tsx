/** The logo: shown as visitors see it, chosen, uploaded at once, and removed. */

import { AddPhotoAlternate, DeleteOutlined } from '@mui/icons-material'
import { Box, LinearProgress, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { upload } from '../../api/client.ts'
import { CHANGED } from '../../api/errors.ts'
import { useAction, useRefresh } from '../../api/hooks.ts'
import type { ServerIdentity } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { FileButton } from '../../ui/FileButton.tsx'

const words = texts({
  en: {
    title: 'Logo',
    help: 'PNG, JPEG or WebP, at least 128 pixels wide and high, at most 2 MB. Best square, with a transparent ground. Icons for browsers and home screens are made of it.',
    none: 'Without a logo, pages show the mark of the product.',
    onLight: 'On light ground',
    onDark: 'On dark ground',
    icon: 'Icon',
    choose: 'Choose logo',
    change: 'Change logo',
    uploading: 'Uploading the logo',
    remove: 'Remove logo',
    removeText: 'Pages, icons and installed applications show the mark of the product again.',
    saved: 'The logo is changed. Reload the page to see it at the top.',
    removed: 'The logo is removed.',
  },
  zh: {
    title: '徽标',
    help: 'PNG、JPEG 或 WebP 图片，宽和高均至少 128 像素，不超过 2 MB。建议使用透明背景的方形图片。浏览器和主屏幕的图标将由它生成。',
    none: '未设置徽标时，页面显示产品图标。',
    onLight: '浅色背景',
    onDark: '深色背景',
    icon: '图标',
    choose: '选择徽标',
    change: '更换徽标',
    uploading: '正在上传徽标',
    remove: '移除徽标',
    removeText: '页面、图标和已安装的应用将重新显示产品图标。',
    saved: '徽标已更新，刷新页面后顶部即会显示。',
    removed: '徽标已移除。',
  },
})

export function LogoField({ identity }: { identity: ServerIdentity }) {
  const t = useTexts(words)
  const may = useMay()
  const refresh = useRefresh()
  const [sent, setSent] = useState(0)
  const { version, logoUrl, iconUrl } = identity
  const { mutate, error, isPending } = useAction('server.logo.update', {
    done: t.saved,
    refreshes: ['server'],
    quiet: true,
    send: async ({ body }, id) =>
      (await upload(id, {
        form: body,
        headers: { 'if-match': `"${version}"` },
        onProgress: setSent,
      })) as ServerIdentity,
  })
  const choose = (file: File) => {
    const body = new FormData()
    body.set('file', file, file.name)
    setSent(0)
    // Then the newest values are shown, and the user can decide again.
    mutate({ body }, { onError: ({ code }) => void (code === CHANGED && refresh('server')) })
  }
  return (
    <Stack spacing={1.5}>
      <div>
        <Typography variant="h3">{t.title}</Typography>
        <Typography variant="body2" color="text.secondary">
          {logoUrl === null ? `${t.none} ${t.help}` : t.help}
        </Typography>
      </div>
      {logoUrl !== null && (
        <Stack direction="row" spacing={1.5} useFlexGap sx={{ flexWrap: 'wrap' }}>
          <Preview src={logoUrl} label={t.onLight} ground="#ffffff" />
          <Preview src={logoUrl} label={t.onDark} ground="#181f1c" />
          <Preview src={iconUrl} label={t.icon} />
        </Stack>
      )}
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {may('server.logo.update') && (
          <FileButton
            variant="outlined"
            accept="image/png,image/jpeg,image/webp"
            startIcon={<AddPhotoAlternate />}
            loading={isPending}
            onFiles={([file]) => file && choose(file)}
          >
            {logoUrl === null ? t.choose : t.change}
          </FileButton>
        )}
        {logoUrl !== null && (
          <ActionButton
            operation="server.logo.delete"
            input={{}}
            label={t.remove}
            title={t.remove}
            text={t.removeText}
            icon={<DeleteOutlined />}
            color="inherit"
            done={t.removed}
          />
        )}
      </Stack>
      {isPending && <LinearProgress variant="determinate" value={sent * 100} aria-label={t.uploading} />}
      {error !== null && <ErrorNotice error={error} />}
    </Stack>
  )
}

/** `ground`: that of pages in light or dark; by default that of the card. */
const Preview = ({ src, label, ground = 'transparent' }: { src: string; label: string; ground?: string }) => (
  <Box component="figure" sx={{ m: 0 }}>
    <Box sx={{ p: 1.5, border: 1, borderColor: 'divider', borderRadius: 1, bgcolor: ground, lineHeight: 0 }}>
      <Box component="img" src={src} alt="" height={56} sx={{ maxWidth: 180, objectFit: 'contain' }} />
    </Box>
    <Typography component="figcaption" variant="caption" color="text.secondary">
      {label}
    </Typography>
  </Box>
)
