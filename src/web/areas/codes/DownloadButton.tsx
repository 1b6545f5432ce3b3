/** Downloads the picture of a code in several sizes. */

import { FileDownload } from '@mui/icons-material'
import { useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { usePrinting } from '../../ui/AddressWarning.tsx'
import { MenuButton, MenuEntry } from '../../ui/MenuButton.tsx'
import { contentOfPicture } from './CodeRow.tsx'
import { TrueSize } from './look/TrueSize.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    png: (side: number, use: string) => `PNG ${side} × ${side}, ${use}`,
    uses: { 300: 'for the screen', 600: 'for documents', 1024: 'for labels', 2048: 'for posters' },
    svg: 'SVG, for printing at any size',
    size: 'PDF, SVG or PNG true to size',
  },
  zh: {
    png: (side: number, use: string) => `PNG ${side} × ${side}，${use}`,
    uses: { 300: '用于屏幕', 600: '用于文档', 1024: '用于标签', 2048: '用于海报' },
    svg: 'SVG，可印刷任意尺寸',
    size: 'PDF、SVG 或 PNG，按实际尺寸',
  },
})

const SIZES = [300, 600, 1024, 2048] as const

export function DownloadButton({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const file = useDownload()
  const owned = useOwnerQuery()
  const { ask, question } = usePrinting()
  const [isSizing, setSizing] = useState(false)
  const start = (format: 'png' | 'svg', size: number) => {
    const content = contentOfPicture(code)
    const name = `${fileName(code.name)}.${format}`
    ask(
      () =>
        code.designId === null
          ? file.mutate(['qrcode.render', { query: { content, size, format, ...code.style } }, name])
          : file.mutate(['qrCodes.picture', { params: { id: code.id }, query: { ...owned, size, format } }, name]),
      [content],
    )
  }
  return (
    <>
      <MenuButton
        label={shared.download}
        icon={<FileDownload />}
        variant="contained"
        loading={file.isPending}
        loadingPosition="start"
      >
        {SIZES.map((size) => (
          <MenuEntry key={size} text={t.png(size, t.uses[size])} onClick={() => start('png', size)} />
        ))}
        <MenuEntry text={t.svg} onClick={() => start('svg', 300)} />
        <MenuEntry text={t.size} onClick={() => ask(() => setSizing(true), [contentOfPicture(code)])} />
      </MenuButton>
      {isSizing && <TrueSize code={code} fileName={fileName(code.name)} onClose={() => setSizing(false)} />}
      {question}
    </>
  )
}

/** Without the signs that file systems refuse. */
const fileName = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\\/:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 80) || 'qr-code'
