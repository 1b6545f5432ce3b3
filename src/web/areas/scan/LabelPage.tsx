/** A label: `/labels/:slug`. The public pages of free labels lead here. */

import { useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { OwnedAnswer } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { LabelState } from './LabelState.tsx'

const words = texts({
  en: { title: (number: string) => `Label ${number}` },
  zh: { title: (number: string) => `标签 ${number}` },
})

export default function LabelPage() {
  const t = useTexts(words)
  const slug = useParams()['slug'] ?? ''
  const query = useCall('qrBlanks.get', { params: { slug } })
  return (
    <OwnedAnswer query={query}>
      {(blank) => (
        <Page title={t.title(blank.number)} width="form" back="/scan">
          <LabelState key={blank.status} blank={blank} />
        </Page>
      )}
    </OwnedAnswer>
  )
}
