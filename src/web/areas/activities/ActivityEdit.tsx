/** The page with the form for a new activity, and for an existing one. */

import { useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Activity } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Owned } from '../../ui/Owned.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { ActivityForm } from './ActivityForm.tsx'
import { emptyValues, paths, type Values, valuesOf } from './form-values.ts'
import { formWords } from './form-words.ts'
import { NoticeQuestion, type NoticeValues, noticeValues, useNotice } from './messages/Notice.tsx'
import { useOwnerOf } from './rights.ts'

export default function ActivityEdit() {
  const { id } = useParams()
  return id === undefined ? <Edit key="new" /> : <Existing key={id} id={Number(id)} />
}

function Existing({ id }: { id: number }) {
  const query = useCall('activities.get', { params: { id } })
  return <Answer query={query}>{(activity) => <OwnedActivity activity={activity} />}</Answer>
}

const OwnedActivity = ({ activity }: { activity: Activity }) => (
  <Owned orgId={useOwnerOf(activity)}>
    <Edit activity={activity} />
  </Owned>
)

function Edit({ activity }: { activity?: Activity }) {
  const t = useTexts(formWords)
  const navigate = useNavigate()
  const { workspace } = useSession()
  const notice = useNotice(activity)
  const orgId = activity
    ? activity.ownerType === 'ORGANIZATION'
      ? activity.ownerId
      : undefined
    : (workspace?.id ?? undefined)
  const form = useForm(
    activity ? 'activities.update' : 'activities.create',
    (): Values & NoticeValues => ({
      ...(activity ? valuesOf(activity) : emptyValues()),
      ...noticeValues(activity),
    }),
    {
      paths,
      from: activity && {
        version: activity.version,
        values: (row: Activity) => ({ ...valuesOf(row, activity), ...noticeValues(activity) }),
      },
      done: activity ? t.saved : t.created,
      asks: notice.isAsked,
      onDone: ({ id }) => void navigate(`/activities/${id}`, { replace: true }),
      input: (values) => ({
        params: activity ? { id: activity.id } : {},
        body: { ...notice.body(values), ...(activity === undefined && orgId !== undefined && { orgId }) },
      }),
    },
  )
  return (
    <>
      <ActivityForm
        form={form}
        isNew={activity === undefined}
        orgId={orgId}
        back={activity ? `/activities/${activity.id}` : '/activities'}
      />
      <NoticeQuestion form={form} readers={notice.readers} />
    </>
  )
}
