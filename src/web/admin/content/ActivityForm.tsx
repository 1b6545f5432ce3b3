/** The form of an activity of any user or organization. The owner can only be chosen for a new one. */

import { MenuItem, Stack, TextField } from '@mui/material'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { AdminActivity } from '../../api/types.ts'
import { ActivityForm } from '../../areas/activities/ActivityForm.tsx'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Section } from '../../ui/parts.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'

const words = texts({
  en: {
    created: 'The activity is created as a draft. Its managers can publish it.',
    saved: 'The activity is changed.',
    forUser: 'For a user',
    forOrg: 'For an organization',
  },
  zh: {
    created: '活动已创建为草稿，可由其管理者发布。',
    saved: '活动已更新。',
    forUser: '为用户创建',
    forOrg: '为组织创建',
  },
})

export default function ActivityPage() {
  const { id } = useParams()
  return id === undefined ? <Create /> : <Edit activityId={Number(id)} />
}

/** Opens the page of the activity when it is saved. */
function useSettings() {
  const navigate = useNavigate()
  return {
    quiet: true,
    refreshes: ['admin.activities', 'admin/activities'],
    onDone: ({ id }: { id: number }) => void navigate(`/admin/activities/${id}/show`),
  }
}

function Edit({ activityId }: { activityId: number }) {
  const query = useCall('admin.activities.get', { params: { activityId } })
  return <Answer query={query}>{(activity) => <EditForm key={activity.version} activity={activity} />}</Answer>
}

function EditForm({ activity }: { activity: AdminActivity }) {
  const t = useTexts(words)
  const update = useAction('admin.activities.update', { ...useSettings(), done: t.saved })
  return (
    <ActivityForm
      isForeign
      activity={activity}
      orgId={activity.ownerType === 'ORGANIZATION' ? activity.ownerId : undefined}
      back={`/admin/activities/${activity.id}/show`}
      error={update.error}
      isPending={update.isPending}
      onSubmit={(body) => update.mutate({ params: { activityId: activity.id }, body })}
    />
  )
}

function Create() {
  const t = useTexts(words)
  const f = useLabels()
  const create = useAction('admin.activities.create', { ...useSettings(), done: t.created })
  const [ownerType, setOwnerType] = useState<AdminActivity['ownerType']>('PERSONAL')
  const [ownerId, setOwnerId] = useState<number | null>(null)
  const picker = { value: ownerId, onChange: setOwnerId, error: create.error?.problem('ownerId'), required: true }
  return (
    <ActivityForm
      isForeign
      activity={undefined}
      orgId={ownerType === 'ORGANIZATION' ? (ownerId ?? 0) : undefined}
      back="/admin/activities"
      error={create.error}
      isPending={create.isPending}
      onSubmit={(body) => {
        if (ownerId !== null) create.mutate({ body: { ...body, ownerType, ownerId } })
      }}
      owner={
        <Section title={f('owner')}>
          <Stack spacing={2}>
            <TextField
              select
              label={f('ownerType')}
              value={ownerType}
              onChange={({ target }) => {
                setOwnerType(target.value as AdminActivity['ownerType'])
                setOwnerId(null)
              }}
            >
              <MenuItem value="PERSONAL">{t.forUser}</MenuItem>
              <MenuItem value="ORGANIZATION">{t.forOrg}</MenuItem>
            </TextField>
            {ownerType === 'PERSONAL' ? <UserPicker {...picker} /> : <OrgPicker {...picker} />}
          </Stack>
        </Section>
      }
    />
  )
}
