import { TextField } from '@mui/material'

import { chooseLocale, type Locale } from '../../../i18n/locale.ts'
import { texts, useLocale, useTexts } from '../../../i18n/words.ts'
import { Form } from '../../../ui/Form.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import type { StepProps } from '../step.tsx'

const words = texts({
  en: {
    about:
      'For you, and for pages and mails to people whose browser asks for neither language. Everybody else sees the language of their browser.',
    language: 'Language',
  },
  zh: {
    about: '用于你自己，以及浏览器未要求这两种语言的访客所看到的页面和邮件。其他人看到的是其浏览器的语言。',
    language: '语言',
  },
})

const LANGUAGES: Readonly<Record<Locale, string>> = { en: 'English', zh: '中文' }

export function Language({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const locale = useLocale()
  const form = useForm('admin.settings.update', { language: locale } as { language: Locale }, {
    refreshes: ['admin.settings'],
    input: ({ language }) => ({ body: { values: { 'server.language': language } } }),
    onDone() {
      chooseLocale(form.values.language)
      step.finish()
    },
  })
  return (
    <Section text={t.about}>
      <Form form={{ ...form, isBusy: form.isBusy || step.isBusy }} action={step.action} other={step.other}>
        <TextField {...form.choice('language', LANGUAGES, { label: t.language })} />
      </Form>
    </Section>
  )
}
