import { useLocation, useSearchParams } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import type { DraftEntry } from '../../session/drafts.ts'
import { Page } from '../../ui/Page.tsx'
import { type Given, type Values, valuesOf, valuesOfShared } from './code-values.ts'
import { CodeForm } from './CodeForm.tsx'

const words = texts({ en: { title: 'New code' }, zh: { title: '新建二维码' } })

/** Creates a code; `?folder=` is its folder. The state of the history is a text that another application has shared, or a refused draft. */
export default function CodeCreate() {
  const t = useTexts(words)
  const [params] = useSearchParams()
  const { shared, draft } = (useLocation().state ?? {}) as { shared?: Given; draft?: DraftEntry<Values> }
  const folder = Number(params.get('folder') ?? 0)
  const first = {
    ...valuesOf(undefined, folder === 0 ? null : folder),
    ...(shared && valuesOfShared(shared)),
    ...draft?.body.values,
  }
  return (
    <Page title={t.title} back={folder === 0 ? '/codes' : `/codes?folder=${folder}`}>
      <CodeForm first={first} draft={draft} />
    </Page>
  )
}
