/** The first label, drawn by the server, at its proportions. */

import { Box, Typography } from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { call, send } from '../../api/client.ts'
import type { QueryOf } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner } from '../../session/session.ts'
import { useSettled } from '../../ui/use-settled.ts'
import type { LabelBody } from './label-order.ts'

const words = texts({
  en: { preview: 'The first label', size: (width: string, height: string) => `${width} × ${height} mm` },
  zh: { preview: '第一个标签', size: (width: string, height: string) => `${width} × ${height} 毫米` },
})

interface Drawn {
  readonly url: string
  readonly width: string
  readonly height: string
  /** The first text. */
  readonly title: string
}

/** A request for one label: a filter would draw all of them. */
async function drawFirst(
  order: Omit<LabelBody, 'format'>,
  query: Partial<QueryOf<'assets.list'>>,
): Promise<Drawn | null> {
  const { filter, ids, sort: _, ...rest } = order
  const one = ids?.slice(0, 1) ?? (filter === undefined ? undefined : await firstOf(query))
  if (one?.length === 0) return null
  const body = { ...rest, ...(one && { ids: one }), copies: 1, skip: 0, format: 'SVG', skipUnfit: true }
  const response = await send('assets.labels', { body }, { headers: { accept: '*/*' } })
  const blob = await response.blob()
  const svg = new DOMParser().parseFromString(await blob.text(), 'image/svg+xml').documentElement
  const [width, height] = ['width', 'height'].map((name) => (svg.getAttribute(name) ?? '').replace('mm', '')) as [
    string,
    string,
  ]
  return { url: URL.createObjectURL(blob), width, height, title: svg.querySelector('title')?.textContent ?? '' }
}

const firstOf = async (query: Partial<QueryOf<'assets.list'>>): Promise<number[]> =>
  (await call('assets.list', { query: { ...query, size: 1 } })).items.map(({ id }) => id)

export function LabelPicture({
  order,
  query,
}: {
  order: Omit<LabelBody, 'format'>
  query: Partial<QueryOf<'assets.list'>>
}) {
  const t = useTexts(words)
  const owner = useOwner()
  const settled = useSettled(JSON.stringify(order))
  const { data } = useQuery({
    queryKey: ['labels', 'picture', settled, query],
    queryFn: () => drawFirst(JSON.parse(settled) as Omit<LabelBody, 'format'>, query),
    placeholderData: keepPreviousData,
    // Another one may be in progress.
    retry: 2,
    gcTime: 0,
  })
  const url = data?.url
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url])
  if (data == null) return null
  return (
    <Box component="figure" sx={{ m: 0 }}>
      <Box
        component="img"
        src={data.url}
        alt={t.preview}
        sx={{
          display: 'block',
          bgcolor: '#fff',
          border: 1,
          borderColor: 'divider',
          width: 480,
          maxWidth: '100%',
          maxHeight: 480,
          objectFit: 'contain',
        }}
      />
      <Typography component="figcaption" variant="body2" color="text.secondary" sx={{ mt: 0.5 }}>
        {[t.preview, data.title, owner?.name, t.size(data.width, data.height)].filter(Boolean).join(' · ')}
      </Typography>
    </Box>
  )
}
