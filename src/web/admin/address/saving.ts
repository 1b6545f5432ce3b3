/** The buttons of the forms of this page, which are steps of the setup, too. */

import type { FormEvent } from 'react'

import type { FormProps } from '../../ui/Form.tsx'
import type { FormState } from '../../ui/use-form.tsx'
import type { StepProps } from '../setup/step.tsx'

/** `save`: the word. In the setup, the button of a form without a change opens the next step. */
export function saving(
  form: FormState,
  save: string,
  step: StepProps | undefined,
): Pick<FormProps, 'form' | 'action' | 'other' | 'needsChange'> {
  if (step === undefined) return { form, action: save, needsChange: true }
  const goOn = (event?: FormEvent) => {
    event?.preventDefault()
    step.finish()
  }
  return {
    form: { ...form, isBusy: form.isBusy || step.isBusy, ...(!form.isChanged && { submit: goOn }) },
    action: form.isChanged ? save : step.action,
    other: step.other,
  }
}
