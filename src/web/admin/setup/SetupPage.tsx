/** Leads system administrators through the setup of the server. The address names the step, so that reloading and going back keep the place. */

import { Alert, Button, LinearProgress, Typography } from '@mui/material'
import type { ComponentType } from 'react'
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Setup, SetupStep } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { StepActions, type StepProps } from './step.tsx'
import { Backup } from './steps/Backup.tsx'
import { Certificate } from './steps/Certificate.tsx'
import { Invite } from './steps/Invite.tsx'
import { Language } from './steps/Language.tsx'
import { Mail } from './steps/Mail.tsx'
import { Name } from './steps/Name.tsx'
import { Organization } from './steps/Organization.tsx'
import { Reach } from './steps/Reach.tsx'
import { Registration } from './steps/Registration.tsx'
import { Summary } from './Summary.tsx'
import { type StepKey, stepNames } from './words.ts'

const words = texts({
  en: {
    title: 'Setup',
    step: (nth: number, all: number, name: string) => `Step ${nth} of ${all}: ${name}`,
    next: 'Continue',
    skip: 'Skip',
    locked: (name: string) => `Set by ${name} at the start of the server, and can only be changed there.`,
  },
  zh: {
    title: '设置向导',
    step: (nth: number, all: number, name: string) => `第 ${nth} 步，共 ${all} 步：${name}`,
    next: '继续',
    skip: '跳过',
    locked: (name: string) => `由启动服务器时的 ${name} 设定，只能在该处更改。`,
  },
})

const STEPS: Readonly<Record<StepKey, ComponentType<{ step: StepProps }>>> = {
  language: Language,
  name: Name,
  reach: Reach,
  certificate: Certificate,
  mail: Mail,
  registration: Registration,
  backup: Backup,
  organization: Organization,
  invite: Invite,
}

/** Of the page after the last step. */
const SUMMARY = 'summary'
const addressOf = (step: string): string => `/admin/setup?step=${step}`

export default function SetupPage() {
  const t = useTexts(words)
  const query = useCall('server.setup')
  if (query.data !== undefined) return <Place setup={query.data} />
  return (
    <Page title={t.title} width="form">
      <Answer query={query}>{() => null}</Answer>
    </Page>
  )
}

function Place({ setup }: { setup: Setup }) {
  const { steps } = setup
  const asked = useSearchParams()[0].get('step')
  const nth = steps.findIndex(({ key }) => key === asked)
  if (asked === SUMMARY) return <Summary setup={setup} addressOf={addressOf} />
  if (nth >= 0) return <Step key={asked} steps={steps} nth={nth} />
  const open = steps.find(({ status }) => status === 'OPEN')?.key
  return <Navigate to={addressOf(setup.done || open === undefined ? SUMMARY : open)} replace />
}

function Step({ steps, nth }: { steps: readonly SetupStep[]; nth: number }) {
  const t = useTexts(words)
  const { back } = useTexts(common)
  const names = useTexts(stepNames)
  const navigate = useNavigate()
  const { key, status, lockedBy } = steps[nth]!
  const goOn = (all: readonly SetupStep[]) => {
    const next = all[all.findIndex((one) => one.key === key) + 1]
    void navigate(addressOf(next?.key ?? SUMMARY))
  }
  const marking = useAction('server.setup.update', { onDone: (setup) => goOn(setup.steps) })
  const mark = (to: 'DONE' | 'SKIPPED') => marking.mutate({ body: { steps: [{ key, status: to }] } })
  const isMarked = status === 'DONE'
  const skip = () => (isMarked ? goOn(steps) : mark('SKIPPED'))
  const before = steps[nth - 1]
  const step: StepProps = {
    action: t.next,
    // The address may have added a step meanwhile, so a step that was done is marked once more.
    finish: () => (lockedBy === null ? mark('DONE') : goOn(steps)),
    skip,
    isBusy: marking.isPending,
    other: (
      <>
        {before !== undefined && (
          <Button component={Link} to={addressOf(before.key)}>
            {back}
          </Button>
        )}
        {lockedBy === null && (
          <Button onClick={skip} disabled={marking.isPending}>
            {t.skip}
          </Button>
        )}
      </>
    ),
  }
  const Content = STEPS[key]
  return (
    <Page title={t.step(nth + 1, steps.length, names[key])} width="form">
      <LinearProgress variant="determinate" value={(100 * nth) / steps.length} aria-hidden sx={{ mb: 2 }} />
      {lockedBy === null || key === 'mail' ? (
        <Content step={step} />
      ) : (
        <Section>
          <Alert severity="info">
            <Typography>{t.locked(lockedBy)}</Typography>
          </Alert>
          <StepActions step={step} />
        </Section>
      )}
    </Page>
  )
}
