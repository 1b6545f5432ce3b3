/** Shared by the parts of the sheet of one participant. */

import { Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import type { Activity, DataOf } from '../../../api/types.ts'

export type Detail = DataOf<'registrations.getAny'>

export interface PartProps {
  activity: Activity
  person: Detail
}

export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack spacing={1} component="section">
    <Typography variant="h3">{title}</Typography>
    {children}
  </Stack>
)
