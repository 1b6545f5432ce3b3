/** The dialog that changes the target of a code, loaded when it is opened: lists need its form seldom. */

import { lazy, Suspense } from 'react'

import type { TargetDialogProps } from './TargetDialog.tsx'

const TargetDialog = lazy(() => import('./TargetDialog.tsx'))

export const ChangeTarget = (props: TargetDialogProps) => (
  <Suspense fallback={null}>
    <TargetDialog {...props} />
  </Suspense>
)
