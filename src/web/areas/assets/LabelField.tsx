/** Chooses a blank label for an asset by scanning it. */

import { QrCodeScanner } from '@mui/icons-material'
import { Box, Chip } from '@mui/material'
import { useEffect, useEffectEvent, useState } from 'react'

import { call } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ScanButton } from '../../ui/ScanDialog.tsx'

const words = texts({
  en: {
    scan: 'Scan a label',
    chosen: (number: string) => `Label ${number}`,
    none: 'This is no label of this server that you may use.',
    taken: (title: string) => `This label stands for “${title}” already.`,
    other: 'something else',
    void: 'This label is void.',
    failed: (reason: string) => `The asset is saved, but not the label. ${reason}`,
    away: 'The label was not assigned, because there was no connection. Scan it again later.',
  },
  zh: {
    scan: '扫描标签',
    chosen: (number: string) => `标签 ${number}`,
    none: '这不是本服务器上你可以使用的标签。',
    taken: (title: string) => `此标签已绑定到“${title}”。`,
    other: '其他内容',
    void: '此标签已作废。',
    failed: (reason: string) => `资产已保存，但标签未绑定。${reason}`,
    away: '没有网络，标签未绑定。请稍后再扫描。',
  },
})

export interface ChosenLabel {
  readonly slug: string
  readonly number: string
}

/** The end of a short link, or the text itself. */
const slugIn = (text: string): string =>
  (URL.parse(text.trim())?.pathname.split('/').findLast(Boolean) ?? text.trim()).toLowerCase()

/**
 * The label that the form has, the field for it, and the function that binds it to the saved asset: without an id, the asset waits for a connection.
 * `first`: the slug of one that is chosen already.
 */
export function useLabel(first: string | null) {
  const t = useTexts(words)
  const may = useMay()
  const [label, setLabel] = useState<ChosenLabel>()
  const choose = async (text: string) => {
    try {
      const { slug, number, status, title } = await call('qrBlanks.get', { params: { slug: slugIn(text) } })
      if (status === 'FREE') setLabel({ slug, number })
      else notify(status === 'VOID' ? t.void : t.taken(title ?? t.other), 'warning')
    } catch (error) {
      notify(error instanceof ApiError && error.status === 404 ? t.none : String(error), 'warning')
    }
  }
  const chooseFirst = useEffectEvent(() => void (first !== null && choose(first)))
  // oxlint-disable-next-line react/set-state-in-effect -- it is set by an answer, not while rendering
  useEffect(() => chooseFirst(), [first])
  const bind = async (id: number | undefined) => {
    if (label === undefined) return
    if (id === undefined) return notify(t.away, 'warning')
    try {
      await call('qrBlanks.bind', { params: { slug: label.slug }, body: { kind: 'ASSET', id } })
    } catch (error) {
      notify(t.failed(error instanceof ApiError ? error.message : String(error)), 'warning')
    }
  }
  const field = may('qrBlanks.bind') && (
    <Box sx={{ gridColumn: '1 / -1' }}>
      {label === undefined ? (
        <ScanButton label={t.scan} icon={<QrCodeScanner />} variant="outlined" onCode={(text) => void choose(text)} />
      ) : (
        <Chip label={t.chosen(label.number)} icon={<QrCodeScanner />} onDelete={() => setLabel(undefined)} />
      )}
    </Box>
  )
  return { field, bind }
}
