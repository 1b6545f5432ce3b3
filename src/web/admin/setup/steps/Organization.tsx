import { Stack, TextField, Typography } from '@mui/material'

import { bodyOf, valuesOf } from '../../../areas/orgs/OrgFields.tsx'
import { texts, useTexts } from '../../../i18n/words.ts'
import { reloadSession, useSession } from '../../../session/session.ts'
import { Form } from '../../../ui/Form.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { StepActions, type StepProps } from '../step.tsx'

const words = texts({
  en: {
    about:
      'An organization is a club, a school or a company, whose members share codes, assets and activities. You become its owner. More details can be given later.',
    have: (names: string) => `You belong to: ${names}`,
    name: 'Name of the organization',
  },
  zh: {
    about: '组织可以是社团、学校或公司，成员共享二维码、资产和活动。你将成为所有者，其他信息可以以后填写。',
    have: (names: string) => `你所在的组织：${names}`,
    name: '组织名称',
  },
})

export function Organization({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const { orgs } = useSession()
  const form = useForm('orgs.create', valuesOf, {
    input: (values) => ({ body: bodyOf(values) }),
    onDone: () => void reloadSession().then(step.finish),
  })
  if (orgs.length > 0)
    return (
      <Section text={t.about}>
        <Typography sx={{ overflowWrap: 'anywhere' }}>{t.have(orgs.map(({ name }) => name).join(', '))}</Typography>
        <StepActions step={step} />
      </Section>
    )
  return (
    <Section text={t.about}>
      <Form form={{ ...form, isBusy: form.isBusy || step.isBusy }} action={step.action} other={step.other}>
        <Stack spacing={2}>
          <TextField {...form.text('name', { label: t.name })} />
          <TextField {...form.choice('visibility', 'orgVisibility')} />
        </Stack>
      </Form>
    </Section>
  )
}
