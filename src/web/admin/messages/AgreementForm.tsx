/** Publishes the next version of an agreement, from an empty text or from an earlier version. */

import { Publish } from '@mui/icons-material'
import { TextField } from '@mui/material'
import { useNavigate, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Agreement, AgreementType } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Form } from '../../ui/Form.tsx'
import { MarkdownEditor } from '../../ui/Markdown.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Publish a version of an agreement',
    publish: 'Publish',
    content: 'Text (Markdown)',
    ask: 'Publish this version?',
    text: 'The text is in effect at once and replaces the version before. Every user is asked to accept it. A published text can never be changed or deleted.',
    done: 'The version is published and in effect.',
  },
  zh: {
    title: '发布协议版本',
    publish: '发布',
    content: '正文（Markdown）',
    ask: '发布此版本？',
    text: '发布后立即生效并替换上一版本，所有用户都会被要求接受。已发布的文本无法修改或删除。',
    done: '版本已发布并生效。',
  },
})

export default function AgreementForm() {
  const [search] = useSearchParams()
  const from = search.get('from')
  return from === null ? <VersionForm before={undefined} /> : <FromVersion id={Number(from)} />
}

function FromVersion({ id }: { id: number }) {
  const query = useCall('agreements.get', { params: { id } })
  return <Answer query={query}>{(before) => <VersionForm before={before} />}</Answer>
}

function VersionForm({ before }: { before: Agreement | undefined }) {
  const t = useTexts(words)
  const nameOf = useEnum('agreementType')
  const navigate = useNavigate()
  const form = useForm(
    'agreements.publish',
    {
      type: before?.type ?? 'SERVICE',
      title: before?.title ?? nameOf('SERVICE'),
      content: before?.content ?? '',
    },
    {
      asks: true,
      done: t.done,
      refreshes: ['agreements'],
      onDone: ({ id }) => void navigate(`/admin/agreements/${id}/show`),
    },
  )
  // Until somebody types another title, it is the name of the type.
  const choose = (type: AgreementType) =>
    form.set({ type, ...(form.values.title === nameOf(form.values.type) && { title: nameOf(type) }) })
  return (
    <Page title={t.title} back="/admin/agreements" width="full">
      <Section>
        <Form form={form} action={t.publish} icon={<Publish />}>
          <TextField
            {...form.choice('type', 'agreementType')}
            onChange={({ target }) => choose(target.value as AgreementType)}
          />
          <TextField {...form.text('title')} />
          <MarkdownEditor {...form.pick('content', { label: t.content })} rows={18} />
        </Form>
      </Section>
      <ConfirmDialog {...form.question} title={t.ask} text={t.text} action={t.publish} />
    </Page>
  )
}
