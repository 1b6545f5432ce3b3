/** The form of an activity of any user or organization. The owner can only be chosen for a new one. */

import { Stack, TextField } from '@mui/material'
import { useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { AdminActivity } from '../../api/types.ts'
import { ActivityForm } from '../../areas/activities/ActivityForm.tsx'
import { bodyOf, emptyValues, paths, type Values, valuesOf } from '../../areas/activities/form-values.ts'
import { NoticeQuestion, noticeValues, useNotice } from '../../areas/activities/messages/Notice.tsx'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { PageAnswer } from '../../ui/NotFound.tsx'
import { Section } from '../../ui/parts.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'
import { useForm } from '../../ui/use-form.tsx'

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
    paths,
    refreshes: ['admin.activities'],
    onDone: ({ id }: { id: number }) => void navigate(`/admin/activities/${id}/show`),
  }
}

function Edit({ activityId }: { activityId: number }) {
  const query = useCall('admin.activities.get', { params: { activityId } })
  return <PageAnswer query={query}>{(activity) => <EditForm key={activity.id} activity={activity} />}</PageAnswer>
}

function EditForm({ activity }: { activity: AdminActivity }) {
  const t = useTexts(words)
  const notice = useNotice(activity)
  const form = useForm('admin.activities.update', () => ({ ...valuesOf(activity), ...noticeValues(activity) }), {
    ...useSettings(),
    done: t.saved,
    asks: notice.isAsked,
    from: {
      version: activity.version,
      values: (row: AdminActivity) => ({ ...valuesOf(row, activity), ...noticeValues(activity) }),
    },
    input: (values) => ({ params: { activityId: activity.id }, body: notice.body(values) }),
  })
  return (
    <>
      <ActivityForm
        isForeign
        form={form}
        isNew={false}
        orgId={activity.ownerType === 'ORGANIZATION' ? activity.ownerId : undefined}
        back={`/admin/activities/${activity.id}/show`}
      />
      <NoticeQuestion form={form} readers={notice.readers} />
    </>
  )
}

interface OwnerValues {
  ownerType: AdminActivity['ownerType']
  ownerId: number | null
}

function Create() {
  const t = useTexts(words)
  const f = useLabels()
  const form = useForm(
    'admin.activities.create',
    (): Values & OwnerValues => ({ ...emptyValues(), ownerType: 'PERSONAL', ownerId: null }),
    {
      ...useSettings(),
      done: t.created,
      input: ({ ownerType, ownerId, ...values }) => ({ body: { ...bodyOf(values), ownerType, ownerId: ownerId ?? 0 } }),
    },
  )
  const { ownerType, ownerId, visibility } = form.values
  const type = form.choice('ownerType', { PERSONAL: t.forUser, ORGANIZATION: t.forOrg })
  const Picker = ownerType === 'PERSONAL' ? UserPicker : OrgPicker
  return (
    <ActivityForm
      isForeign
      form={form}
      isNew
      orgId={ownerType === 'ORGANIZATION' ? (ownerId ?? 0) : undefined}
      back="/admin/activities"
      owner={
        <Section title={f('owner')}>
          <Stack spacing={2}>
            <TextField
              {...type}
              onChange={(event) => {
                type.onChange(event)
                // Only organizations have members who see it.
                form.set({ ownerId: null, visibility: visibility === 'RESTRICTED' ? 'INVITE_ONLY' : visibility })
              }}
            />
            <Picker {...form.pick('ownerId', { label: f(ownerType === 'PERSONAL' ? 'userId' : 'orgId') })} />
          </Stack>
        </Section>
      }
    />
  )
}
