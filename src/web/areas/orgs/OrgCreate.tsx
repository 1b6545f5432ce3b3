/** The form for a new organization. Who sends it becomes the owner. */

import { useNavigate } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession } from '../../session/session.ts'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { bodyOf, OrgFields, valuesOf } from './OrgFields.tsx'

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
  const form = useForm('orgs.create', valuesOf, {
    input: (values) => ({ body: bodyOf(values) }),
    done: t.done,
    onDone: ({ id }) =>
      void reloadSession().then(() => navigate(`/orgs/${id}`, { replace: true, state: { isNew: true } })),
  })
  return (
    <Page title={t.title} back="/orgs" width="form">
      <Section>
        <Form form={form} action={t.create}>
          <OrgFields form={form} />
        </Form>
      </Section>
    </Page>
  )
}
