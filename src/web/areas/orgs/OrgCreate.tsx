/** The form for a new organization. Who sends it becomes the owner. */

import { Button, Stack } from '@mui/material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { bodyOf, draftOf, OrgFields } from './OrgFields.tsx'

const words = texts({
  en: {
    title: 'New organization',
    create: 'Create organization',
    done: 'The organization was created. You are its owner.',
  },
  zh: { title: '新建组织', create: '新建组织', done: '组织已创建，你是所有者。' },
})

export default function OrgCreate() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => draftOf())
  const create = useAction('orgs.create', {
    done: t.done,
    quiet: true,
    onDone: ({ id }) =>
      void reloadSession().then(() => navigate(`/orgs/${id}`, { replace: true, state: { isNew: true } })),
  })
  return (
    <Page title={t.title} back="/orgs" width={640}>
      <Section>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            create.mutate({ body: bodyOf(draft) })
          }}
        >
          <OrgFields value={draft} onChange={setDraft} error={create.error} />
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Stack direction="row" sx={{ justifyContent: 'flex-end', mt: 3 }}>
            <Button type="submit" variant="contained" loading={create.isPending}>
              {t.create}
            </Button>
          </Stack>
        </form>
      </Section>
    </Page>
  )
}
