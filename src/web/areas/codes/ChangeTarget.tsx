/** The dialog that changes the target of a code, loaded when it is opened: lists need its form seldom. */

import { Nothing, part } from '../../ui/part.tsx'
import type { TargetDialogProps } from './TargetDialog.tsx'

export const ChangeTarget = part<TargetDialogProps>(() => import('./TargetDialog.tsx'), Nothing)
