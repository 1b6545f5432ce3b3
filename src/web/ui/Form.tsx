/**
 * A form on a page: its fields one below the other, the refusal of the server, and the buttons.
 *
 *     <Form form={form} action={t.save} cancel="/activities">
 *       <TextField {...form.text('name')} />
 *     </Form>
 */

import { Button, Stack } from '@mui/material'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { common } from '../i18n/common.ts'
import { useTexts } from '../i18n/words.ts'
import { ErrorNotice } from './Answer.tsx'
import { ConflictDialog } from './Conflict.tsx'
import type { FormState } from './use-form.tsx'

export interface FormProps {
  form: FormState
  /** The word on the button. Without it there is none. */
  action?: string
  icon?: ReactNode
  /** Something must be chosen first. */
  isDisabled?: boolean
  /** Further buttons, before the main one. */
  other?: ReactNode
  /** Path of the page to go back to. */
  cancel?: string
  /** The button works only after a change. */
  needsChange?: boolean
  children: ReactNode
}

export function Form(props: FormProps) {
  const { form, action, icon, cancel, other, isDisabled = false, needsChange = false, children } = props
  const t = useTexts(common)
  return (
    <Stack component="form" spacing={2} onSubmit={form.submit}>
      {children}
      {form.error !== null && <ErrorNotice error={form.error} />}
      <ConflictDialog conflict={form.conflict} />
      {action !== undefined && (
        // On phones as wide as the form, the main action first.
        <Stack
          direction={{ xs: 'column-reverse', sm: 'row' }}
          spacing={1}
          useFlexGap
          sx={{ justifyContent: 'flex-end', mt: 2 }}
        >
          {cancel !== undefined && (
            <Button component={Link} to={cancel}>
              {t.cancel}
            </Button>
          )}
          {other}
          <Button
            type="submit"
            variant="contained"
            startIcon={icon}
            loading={form.isBusy}
            disabled={isDisabled || (needsChange && !form.isChanged)}
          >
            {action}
          </Button>
        </Stack>
      )}
    </Stack>
  )
}
