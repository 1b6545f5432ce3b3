import { useNavigate, useSearchParams } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { Page } from '../../ui/Page.tsx'
import { CodeForm } from './CodeForm.tsx'

const words = texts({
  en: { title: 'New code', create: 'Create code', created: 'Code created.' },
  zh: { title: '新建二维码', create: '新建', created: '二维码已新建。' },
})

/** Creates a code; `?folder=` is its folder. */
export default function CodeCreate() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const folder = Number(params.get('folder') ?? 0)
  const create = useAction('qrCodes.create', {
    done: t.created,
    refreshes: ['qrCodes', 'categories'],
    quiet: true,
    onDone: ({ id }) => void navigate(`/codes/${id}`, { replace: true }),
  })
  return (
    <Page title={t.title} back={folder === 0 ? '/codes' : `/codes?folder=${folder}`}>
      <CodeForm
        initialFolder={folder === 0 ? null : folder}
        action={t.create}
        cancelTo="/codes"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(body) => create.mutate({ query: ownerQuery(), body })}
      />
    </Page>
  )
}
