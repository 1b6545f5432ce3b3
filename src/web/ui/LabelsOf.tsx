/** The printed labels that stand for a thing, on the page about it. */

import { Chip, Stack } from '@mui/material'
import { Link } from 'react-router'

import { useCall } from '../api/hooks.ts'
import type { QrBlank } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay, useOwnerQuery } from '../session/session.ts'
import { Section } from './parts.tsx'

const words = texts({
  en: { title: 'Printed labels', more: (n: number) => `and ${n} more` },
  zh: { title: '实物标签', more: (n: number) => `另有 ${n} 个` },
})

/** Nothing for a thing without labels. */
export function LabelsOf({ kind, id }: { kind: NonNullable<QrBlank['kind']>; id: number }) {
  const t = useTexts(words)
  const query = { ...useOwnerQuery(), kind, targetId: id, size: 20 }
  const labels = useCall('qrBlanks.list', { query }, { enabled: useMay()('qrBlanks.list') }).data
  if (labels === undefined || labels.total === 0) return null
  const more = labels.total - labels.items.length
  return (
    <Section title={t.title}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        {labels.items.map(({ slug, number }) => (
          <Chip key={slug} label={number} component={Link} to={`/labels/${slug}`} clickable variant="outlined" />
        ))}
        {more > 0 && <span>{t.more(more)}</span>}
      </Stack>
    </Section>
  )
}
