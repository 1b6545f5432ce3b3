/** Prints the labels, or downloads them. More than 5,000 become several files. */

import { Download, Print } from '@mui/icons-material'
import { Button, LinearProgress, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { call, saveAs, send } from '../../api/client.ts'
import type { QueryOf } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { usePrinting } from '../../ui/AddressWarning.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { type Format, type LabelBody, partsOf, type Settings } from './label-order.ts'

const words = texts({
  en: {
    ...common.en,
    hint: 'In the dialog of the printer, choose the same paper and 100 % as the scale.',
    dpi: 'Resolution of PNG and ZPL',
    making: (part: number, parts: number) =>
      parts === 1 ? 'The labels are being made.' : `File ${part} of ${parts} is being made.`,
  },
  zh: {
    ...common.zh,
    hint: '在打印窗口中选择相同的纸张、缩放 100%。',
    dpi: 'PNG 与 ZPL 的分辨率',
    making: (part: number, parts: number) =>
      parts === 1 ? '正在生成标签。' : `正在生成第 ${part} 个文件，共 ${parts} 个。`,
  },
})

interface Props {
  order: Omit<LabelBody, 'format'>
  query: Partial<QueryOf<'assets.list'>>
  settings: Settings
}

const DOWNLOADS: readonly Exclude<Format, 'PDF'>[] = ['SVG', 'PNG', 'ZPL']

export function LabelFiles({ order, query, settings }: Props) {
  const t = useTexts(words)
  const { ask, question } = usePrinting()
  const [dpi, setDpi] = useState<203 | 300 | 600>(203)
  const [progress, setProgress] = useState<{ part: number; parts: number }>()
  const run = async (format: Format, deliver: (blob: Blob, name: string) => void) => {
    const { ids, filter, sort, copies = 1, ...rest } = order
    setProgress({ part: 1, parts: 1 })
    try {
      const total = ids?.length ?? (await call('assets.list', { query: { ...query, size: 1 } })).total
      const parts = await partsOf({ ids, filter, sort }, query, total, copies)
      for (const [i, part] of parts.entries()) {
        setProgress({ part: i + 1, parts: parts.length })
        const body = {
          ...rest,
          ...part,
          copies,
          format,
          dpi: format === 'ZPL' && dpi === 600 ? 300 : dpi,
          skipUnfit: true,
        }
        const response = await send('assets.labels', { body }, { headers: { accept: '*/*' } })
        const extension =
          /filename="[^".]+\.(\w+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'bin'
        deliver(await response.blob(), parts.length === 1 ? `labels.${extension}` : `labels-${i + 1}.${extension}`)
      }
    } catch (error) {
      notify((error as Error).message, 'error')
    } finally {
      setProgress(undefined)
    }
  }
  const print = () => {
    // Opened by the click, because browsers block windows that open later.
    const page = globalThis.open('', '_blank')
    void run('PDF', (blob, name) => {
      if (page === null || page.closed) return saveAs(blob, name)
      page.location.href = URL.createObjectURL(blob)
    })
  }
  const isLink = settings.content === 'LINK'
  const start = (action: () => void) => ask(action, isLink ? undefined : [])
  const isBusy = progress !== undefined
  return (
    <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
      {isBusy && (
        <>
          <LinearProgress sx={{ width: '100%' }} aria-label={t.making(progress.part, progress.parts)} />
          <Typography>{t.making(progress.part, progress.parts)}</Typography>
        </>
      )}
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <Button variant="contained" startIcon={<Print />} disabled={isBusy} onClick={() => start(print)}>
          {t.print}
        </Button>
        {(['PDF', ...DOWNLOADS] as const).map((format) => (
          <Button
            key={format}
            startIcon={<Download />}
            disabled={isBusy}
            onClick={() => start(() => void run(format, saveAs))}
          >
            {format}
          </Button>
        ))}
      </Stack>
      <ChoiceField
        name="dpi"
        label={t.dpi}
        value={dpi}
        onChange={setDpi}
        choices={([203, 300, 600] as const).map((id) => ({ id, name: `${id} dpi` }))}
        sx={{ minWidth: 200 }}
      />
      <Typography variant="body2" color="text.secondary">
        {t.hint}
      </Typography>
      {question}
    </Stack>
  )
}
