/** Dialogs about codes that are loaded when they are opened: lists need their forms seldom. */

import { Nothing, part } from '../../ui/part.tsx'
import type { MoveDialogProps } from './MoveDialog.tsx'
import type { TargetDialogProps } from './TargetDialog.tsx'

export const ChangeTarget = part<TargetDialogProps>(() => import('./TargetDialog.tsx'), Nothing)
export const MoveCodes = part<MoveDialogProps>(() => import('./MoveDialog.tsx'), Nothing)
