/** A label: `/labels/:slug`. The public pages of free labels lead here. */

import { LabelOff } from '@mui/icons-material'
import { Button } from '@mui/material'
import { Link, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { OwnedAnswer } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { LabelState } from './LabelState.tsx'

const words = texts({
  en: {
    title: (number: string) => `Label ${number}`,
    label: 'Label',
    missing: 'You may not see this label',
    missingText:
      'It belongs to somebody else, or does not exist. Only its owner, and members of the organization that owns it who may read codes, can assign it. Do you use another account?',
    scan: 'Scan another one',
  },
  zh: {
    title: (number: string) => `标签 ${number}`,
    label: '标签',
    missing: '你无权查看此标签',
    missingText: '标签属于他人，或不存在。只有其所有者，或所属组织中有权查看二维码的成员才能绑定。是否使用了其他账号？',
    scan: '扫描其他标签',
  },
})

export default function LabelPage() {
  const t = useTexts(words)
  const slug = useParams()['slug'] ?? ''
  const query = useCall('qrBlanks.get', { params: { slug } })
  if (query.error?.status === 404)
    return (
      <Page title={t.label} width="form" back="/scan">
        <EmptyState
          icon={LabelOff}
          title={t.missing}
          text={t.missingText}
          action={
            <Button component={Link} to="/scan">
              {t.scan}
            </Button>
          }
        />
      </Page>
    )
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
