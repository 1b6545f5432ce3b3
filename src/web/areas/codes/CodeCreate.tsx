import { useLocation, useSearchParams } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { Page } from '../../ui/Page.tsx'
import { type Given, valuesOf, valuesOfShared } from './code-values.ts'
import { CodeForm } from './CodeForm.tsx'

const words = texts({ en: { title: 'New code' }, zh: { title: '新建二维码' } })

/** Creates a code; `?folder=` is its folder. The state of the history is a link or text that another application has shared. */
export default function CodeCreate() {
  const t = useTexts(words)
  const [params] = useSearchParams()
  const shared = useLocation().state as Given | null
  const folder = Number(params.get('folder') ?? 0)
  return (
    <Page title={t.title} back={folder === 0 ? '/codes' : `/codes?folder=${folder}`}>
      <CodeForm
        first={{ ...valuesOf(undefined, folder === 0 ? null : folder), ...(shared && valuesOfShared(shared)) }}
      />
    </Page>
  )
}
