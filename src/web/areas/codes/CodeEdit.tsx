import { useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { CodeForm } from './CodeForm.tsx'
import { codeWords } from './words.ts'

const words = texts({ en: { title: 'Edit code', saved: 'Saved.' }, zh: { title: '编辑二维码', saved: '已保存。' } })

/** Changes a code. */
export default function CodeEdit() {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const navigate = useNavigate()
  const id = Number(useParams()['id'])
  const query = useCall('qrCodes.get', { params: { id }, query: ownerQuery() })
  const update = useAction('qrCodes.update', {
    done: t.saved,
    refreshes: ['qrCodes', 'categories'],
    quiet: true,
    onDone: () => void navigate(`/codes/${id}`, { replace: true }),
  })
  return (
    <Page title={t.title} back={`/codes/${id}`}>
      <Answer query={query}>
        {(code) => (
          <CodeForm
            key={code.id}
            code={code}
            action={shared.save}
            cancelTo={`/codes/${id}`}
            isBusy={update.isPending}
            error={update.error}
            onSubmit={(body) => update.mutate({ params: { id }, query: ownerQuery(), body })}
          />
        )}
      </Answer>
    </Page>
  )
}
