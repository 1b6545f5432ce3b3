import { useSearchParams } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { Page } from '../../ui/Page.tsx'
import { CodeForm } from './CodeForm.tsx'

const words = texts({ en: { title: 'New code' }, zh: { title: '新建二维码' } })

/** Creates a code; `?folder=` is its folder. */
export default function CodeCreate() {
  const t = useTexts(words)
  const [params] = useSearchParams()
  const folder = Number(params.get('folder') ?? 0)
  return (
    <Page title={t.title} back={folder === 0 ? '/codes' : `/codes?folder=${folder}`}>
      <CodeForm initialFolder={folder === 0 ? null : folder} />
    </Page>
  )
}
