/** The properties of each step of the setup, and the buttons of steps without a form. */

import { Button, Stack } from '@mui/material'
import type { ReactNode } from 'react'

export interface StepProps {
  /** The word on the main button. */
  readonly action: string
  /** The buttons beside it: back and skip. */
  readonly other: ReactNode
  /** Marks the step as done and opens the next one. */
  readonly finish: () => void
  /** Marks the step as skipped, unless it was done before, and opens the next one. */
  readonly skip: () => void
  readonly isBusy: boolean
}

export interface StepActionsProps {
  step: StepProps
  /** Instead of `step.action`. */
  action?: string
}

/** In the order of `<Form>`. */
export const StepActions = ({ step, action = step.action }: StepActionsProps) => (
  <Stack
    direction={{ xs: 'column-reverse', sm: 'row' }}
    spacing={1}
    useFlexGap
    sx={{ justifyContent: 'flex-end', mt: 2 }}
  >
    {step.other}
    <Button variant="contained" loading={step.isBusy} onClick={step.finish}>
      {action}
    </Button>
  </Stack>
)
