/** The page with the form for a new activity, and for an existing one. */

import { useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Activity } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { ActivityForm } from './ActivityForm.tsx'
import { formWords } from './form-words.ts'

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
  const open = ({ id }: { id: number }) => void navigate(`/activities/${id}`, { replace: true })
  const create = useAction('activities.create', { quiet: true, done: t.created, onDone: open })
  const update = useAction('activities.update', { quiet: true, done: t.saved, onDone: open })
  const { error, isPending } = activity ? update : create
  const orgId = activity
    ? activity.ownerType === 'ORGANIZATION'
      ? activity.ownerId
      : undefined
    : (workspace?.id ?? undefined)
  return (
    <ActivityForm
      activity={activity}
      orgId={orgId}
      back={activity ? `/activities/${activity.id}` : '/activities'}
      error={error}
      isPending={isPending}
      onSubmit={(body) => {
        if (activity) update.mutate({ params: { id: activity.id }, body })
        else create.mutate({ body: { ...body, ...(orgId !== undefined && { orgId }) } })
      }}
    />
  )
}
