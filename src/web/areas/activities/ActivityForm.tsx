/** The form of an activity, for its managers and for administrators. */

import type { ReactNode } from 'react'

import { common } from '../../i18n/common.ts'
import { useTexts } from '../../i18n/words.ts'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { formWords } from './form-words.ts'
import {
  Basics,
  CheckInRules,
  type FormParts,
  NoticeRules,
  PassRules,
  RegistrationRules,
  Visibility,
  Where,
} from './FormSections.tsx'

export interface ActivityFormProps extends Omit<FormParts, 'isForeign'> {
  isNew: boolean
  /** The user neither owns nor manages the activity: covers and templates of its owner cannot be chosen. */
  isForeign?: boolean
  /** Before the other sections. */
  owner?: ReactNode
  /** Path of the page above. */
  back: string
}

export function ActivityForm({ form, isNew, orgId, isForeign = false, owner, back }: ActivityFormProps) {
  const t = useTexts(formWords)
  const { save } = useTexts(common)
  const parts: FormParts = { form, orgId, isForeign }
  const { coverUrl } = form.values
  return (
    <Page title={isNew ? t.create : t.edit} back={back} width="form">
      <Form form={form} action={isNew ? t.createDraft : save} cancel={back}>
        {owner}
        <Basics {...parts} isNew={isNew}>
          {(!isForeign || coverUrl !== null) && (
            <PictureField
              url={coverUrl}
              name={t.cover}
              look="cover"
              type="activity"
              orgId={orgId}
              canChoose={!isForeign}
              onChange={(coverFileId, url) => form.set({ coverFileId, coverUrl: url })}
            />
          )}
        </Basics>
        <Where {...parts} />
        <Visibility {...parts} />
        <RegistrationRules {...parts} />
        <CheckInRules {...parts} />
        <PassRules {...parts} />
        <NoticeRules {...parts} />
      </Form>
    </Page>
  )
}
