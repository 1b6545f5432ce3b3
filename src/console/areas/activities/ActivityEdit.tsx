/** The form for a new activity, and for an existing one. */

import { Button, Stack } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Activity } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { FormActions } from '../../ui/FormActions.tsx'
import { Page } from '../../ui/Page.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { bodyOf, emptyValues, type Values, valuesOf } from './form-values.ts'
import { formWords } from './form-words.ts'
import {
  Basics,
  CheckInRules,
  type FormParts,
  PassRules,
  RegistrationRules,
  Visibility,
  Where,
} from './FormSections.tsx'

export default function ActivityEdit() {
  const { id } = useParams()
  return id === undefined ? <Form key="new" /> : <Existing key={id} id={Number(id)} />
}

function Existing({ id }: { id: number }) {
  const query = useCall('activities.get', { params: { id } })
  return <Answer query={query}>{(activity) => <Form activity={activity} />}</Answer>
}

function Form({ activity }: { activity?: Activity }) {
  const t = useTexts(formWords)
  const navigate = useNavigate()
  const { workspace } = useSession()
  const [values, setValues] = useState<Values>(() => (activity ? valuesOf(activity) : emptyValues()))
  /** Without `fileId` the cover stays. */
  const [cover, setCover] = useState<{ url: string | null; fileId?: number | null }>({
    url: activity?.coverUrl ?? null,
  })
  const open = ({ id }: { id: number }) => void navigate(`/activities/${id}`, { replace: true })
  const create = useAction('activities.create', { quiet: true, done: t.created, onDone: open })
  const update = useAction('activities.update', { quiet: true, done: t.saved, onDone: open })
  const { error, isPending } = activity ? update : create
  const orgId = activity
    ? activity.ownerType === 'ORGANIZATION'
      ? activity.ownerId
      : undefined
    : (workspace?.id ?? undefined)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { ...bodyOf(values), ...(cover.fileId !== undefined && { coverFileId: cover.fileId }) }
    if (activity) update.mutate({ params: { id: activity.id }, body })
    else create.mutate({ body: { ...body, ...(orgId !== undefined && { orgId }) } })
  }
  const parts: FormParts = { values, set: (part) => setValues((now) => ({ ...now, ...part })), error, orgId }
  const back = activity ? `/activities/${activity.id}` : '/activities'
  return (
    <Page title={activity ? t.edit : t.create} back={back} width={760}>
      <Stack component="form" spacing={2} onSubmit={submit}>
        <Basics {...parts}>
          <PictureField
            url={cover.url}
            name={t.cover}
            look="cover"
            type="activity"
            orgId={orgId}
            onChange={(fileId, url) => setCover({ fileId, url })}
          />
        </Basics>
        <Where {...parts} />
        <Visibility {...parts} />
        <RegistrationRules {...parts} />
        <CheckInRules {...parts} />
        <PassRules {...parts} />
        {error !== null && <ErrorNotice error={error} />}
        <FormActions>
          <Button component={Link} to={back}>
            {t.cancel}
          </Button>
          <Button type="submit" variant="contained" loading={isPending}>
            {activity ? t.save : t.createDraft}
          </Button>
        </FormActions>
      </Stack>
    </Page>
  )
}
