/** The form of an activity, for its managers and for administrators. */

import { Button, Stack } from '@mui/material'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'react-router'

import type { ApiError } from '../../api/errors.ts'
import type { BodyOf } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { FormActions } from '../../ui/FormActions.tsx'
import { Page } from '../../ui/Page.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { bodyOf, emptyValues, type Saved, type Values, valuesOf } from './form-values.ts'
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

export interface ActivityFormProps {
  /** Undefined: a new one. */
  activity: Saved | undefined
  /** The organization that owns the activity; undefined for a personal one. */
  orgId: number | undefined
  /** The user neither owns nor manages the activity: covers and templates of its owner cannot be chosen. */
  isForeign?: boolean
  /** Before the other sections. */
  owner?: ReactNode
  /** Path of the page above. */
  back: string
  error: ApiError | null
  isPending: boolean
  onSubmit: (body: BodyOf<'activities.create'>) => void
}

export function ActivityForm(props: ActivityFormProps) {
  const { activity, orgId, isForeign = false, owner, back, error, isPending, onSubmit } = props
  const t = useTexts(formWords)
  const [values, setValues] = useState<Values>(() => (activity ? valuesOf(activity) : emptyValues()))
  /** Without `fileId` the cover stays. */
  const [cover, setCover] = useState<{ url: string | null; fileId?: number | null }>({
    url: activity?.coverUrl ?? null,
  })
  // An administrator may have chosen another owner after the visibility.
  const isWithoutMembers = values.visibility === 'RESTRICTED' && orgId === undefined
  const current: Values = isWithoutMembers ? { ...values, visibility: 'INVITE_ONLY' } : values
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit({ ...bodyOf(current), ...(cover.fileId !== undefined && { coverFileId: cover.fileId }) })
  }
  const set = (part: Partial<Values>) => setValues((now) => ({ ...now, ...part }))
  const parts: FormParts = { values: current, set, error, orgId, isForeign }
  return (
    <Page title={activity ? t.edit : t.create} back={back} width={760}>
      <Stack component="form" spacing={2} onSubmit={submit}>
        {owner}
        <Basics {...parts}>
          {(!isForeign || cover.url !== null) && (
            <PictureField
              url={cover.url}
              name={t.cover}
              look="cover"
              type="activity"
              orgId={orgId}
              canChoose={!isForeign}
              onChange={(fileId, url) => setCover({ fileId, url })}
            />
          )}
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
