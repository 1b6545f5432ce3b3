/**
 * The buttons at the end of a form: at the right, the main action last; on phones as wide as the form, the main action first.
 *
 *     <FormActions>
 *       <Button component={Link} to="/activities">{t.cancel}</Button>
 *       <Button type="submit" variant="contained" loading={isPending}>{t.save}</Button>
 *     </FormActions>
 */

import { Stack } from '@mui/material'
import type { ReactNode } from 'react'

export const FormActions = ({ children }: { children: ReactNode }) => (
  <Stack
    direction={{ xs: 'column-reverse', sm: 'row' }}
    spacing={1}
    useFlexGap
    sx={{ justifyContent: 'flex-end', mt: 2 }}
  >
    {children}
  </Stack>
)
