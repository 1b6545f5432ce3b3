/** Publishes the next version of an agreement, from an empty text or from an earlier version. */

import { Publish } from '@mui/icons-material'
import { Button, Card, CardContent, MenuItem, Stack, TextField } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Agreement, AgreementType } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { MarkdownEditor } from '../../ui/Markdown.tsx'
import { Page } from '../../ui/Page.tsx'

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
  return from === null ? <Form before={undefined} /> : <FromVersion id={Number(from)} />
}

function FromVersion({ id }: { id: number }) {
  const query = useCall('agreements.get', { params: { id } })
  return <Answer query={query}>{(before) => <Form before={before} />}</Answer>
}

function Form({ before }: { before: Agreement | undefined }) {
  const t = useTexts(words)
  const f = useLabels()
  const navigate = useNavigate()
  const types = useChoices('agreementType')
  const [type, setType] = useState<AgreementType>(before?.type ?? 'SERVICE')
  // Until somebody types another title, it is the name of the type.
  const [title, setTitle] = useState(before?.title)
  const [content, setContent] = useState(before?.content ?? '')
  const [isAsking, setAsking] = useState(false)
  const shownTitle = title ?? types.find(({ id }) => id === type)?.name ?? ''
  const publish = useAction('agreements.publish', {
    quiet: true,
    done: t.done,
    refreshes: ['agreements', 'admin/agreements'],
    onDone: ({ id }) => void navigate(`/admin/agreements/${id}/show`),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsking(true)
  }
  return (
    <Page title={t.title} back="/admin/agreements" width={1400}>
      <Card variant="outlined">
        <CardContent>
          <Stack component="form" spacing={2.5} onSubmit={submit}>
            <TextField
              select
              label={f('type')}
              value={type}
              onChange={(event) => setType(event.target.value as AgreementType)}
            >
              {types.map(({ id, name }) => (
                <MenuItem key={id} value={id}>
                  {name}
                </MenuItem>
              ))}
            </TextField>
            <TextField
              label={f('title')}
              value={shownTitle}
              onChange={(event) => setTitle(event.target.value)}
              required
              error={publish.error?.problem('title') !== undefined}
              helperText={publish.error?.problem('title')}
            />
            <MarkdownEditor
              label={t.content}
              value={content}
              onChange={setContent}
              error={publish.error?.problem('content')}
              rows={18}
              required
            />
            {publish.error !== null && <ErrorNotice error={publish.error} />}
            <Button type="submit" variant="contained" startIcon={<Publish />} sx={{ alignSelf: 'flex-start' }}>
              {t.publish}
            </Button>
          </Stack>
        </CardContent>
      </Card>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.ask}
        text={t.text}
        action={t.publish}
        isBusy={publish.isPending}
        onConfirm={() =>
          publish.mutate({ body: { type, title: shownTitle.trim(), content } }, { onError: () => setAsking(false) })
        }
        onClose={() => setAsking(false)}
      />
    </Page>
  )
}
