import { TextField } from '@mui/material'

import { useCall } from '../../../api/hooks.ts'
import type { Setting } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import type { StepProps } from '../step.tsx'

const words = texts({
  en: {
    about: 'Who gets an account on this server?',
    registration: 'Registration',
    choices: { OPEN: 'Anyone can register', INVITATION: 'Administrators make the accounts' },
  },
  zh: {
    about: '谁可以在此服务器上拥有账号？',
    registration: '注册',
    choices: { OPEN: '任何人都可以注册', INVITATION: '由管理员创建账号' },
  },
})

export function Registration({ step }: { step: StepProps }) {
  const query = useCall('admin.settings.list')
  return <Answer query={query}>{({ items }) => <Choice items={items} step={step} />}</Answer>
}

function Choice({ items, step }: { items: readonly Setting[]; step: StepProps }) {
  const t = useTexts(words)
  const isOpen = items.find(({ key }) => key === 'registration.enabled')?.value === true
  const first: { who: 'OPEN' | 'INVITATION' } = { who: isOpen ? 'OPEN' : 'INVITATION' }
  const form = useForm('admin.settings.update', first, {
    refreshes: ['admin.settings'],
    input: ({ who }) => ({ body: { values: { 'registration.enabled': who === 'OPEN' } } }),
    onDone: step.finish,
  })
  return (
    <Section text={t.about}>
      <Form form={{ ...form, isBusy: form.isBusy || step.isBusy }} action={step.action} other={step.other}>
        <TextField {...form.choice('who', t.choices, { label: t.registration })} />
      </Form>
    </Section>
  )
}
