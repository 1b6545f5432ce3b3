/** The text of an activity in its form: plain, or Markdown with a preview. */

import { Stack, TextField } from '@mui/material'

import { callWith } from '../../api/client.ts'
import type { DescriptionPreview } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ToggleField } from '../../ui/fields.tsx'
import { MarkdownEditor } from '../../ui/Markdown.tsx'
import type { Form } from '../../ui/use-form.tsx'
import type { Values } from './form-values.ts'
import { formWords } from './form-words.ts'

const words = texts({
  en: { PLAIN: 'Plain text', MARKDOWN: 'With format (Markdown)' },
  zh: { PLAIN: '纯文本', MARKDOWN: '带格式（Markdown）' },
})

async function render(content: string, signal: AbortSignal): Promise<string> {
  const preview = await callWith('activities.renderDescription', { body: { content } }, { signal })
  return (preview as DescriptionPreview).descriptionHtml
}

export function Description({ form }: { form: Form<Values> }) {
  const t = useTexts(formWords)
  const choices = useTexts(words)
  const { descriptionFormat } = form.values
  const text = form.pick('description', { label: t.description })
  return (
    <Stack spacing={1}>
      {descriptionFormat === 'MARKDOWN' ? (
        <MarkdownEditor {...text} rows={8} operation="activities.renderDescription" render={render} />
      ) : (
        <TextField {...form.text('description', { label: t.description })} multiline minRows={3} />
      )}
      <ToggleField
        value={descriptionFormat}
        choices={choices}
        onChange={(next) => form.set({ descriptionFormat: next })}
      />
    </Stack>
  )
}
