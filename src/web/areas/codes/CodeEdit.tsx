import { useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRowQuery } from '../../session/session.ts'
import { OwnedAnswer } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { CodeForm } from './CodeForm.tsx'

const words = texts({ en: { title: 'Edit code' }, zh: { title: '编辑二维码' } })

/** Changes a code. */
export default function CodeEdit() {
  const t = useTexts(words)
  const id = Number(useParams()['id'])
  const query = useCall('qrCodes.get', { params: { id }, query: useRowQuery('qrCodes.get') })
  return (
    <OwnedAnswer query={query}>
      {(code) => (
        <Page title={t.title} back={`/codes/${id}`}>
          <CodeForm key={code.id} code={code} />
        </Page>
      )}
    </OwnedAnswer>
  )
}
