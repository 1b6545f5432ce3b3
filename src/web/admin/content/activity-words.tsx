/** The consequences of deleting an activity, and the button that opens the form for a new one. */

import { Add } from '@mui/icons-material'
import { Button } from '@mui/material'
import { Link } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'

export const deletion = texts({
  en: {
    text: 'The activity is gone for everybody at once, with its check-ins, passes and registrations. This cannot be undone.',
  },
  zh: { text: '活动及其签到、通行证和报名将立即对所有人消失。此操作无法撤销。' },
})

const words = texts({ en: { create: 'Create activity' }, zh: { create: '新建活动' } })

export function CreateActivity() {
  const t = useTexts(words)
  const may = useMay()
  if (!may('admin.activities.create')) return null
  return (
    <Button component={Link} to="/admin/activities/create" variant="contained" startIcon={<Add />} data-create>
      {t.create}
    </Button>
  )
}
