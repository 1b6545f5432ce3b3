/** A form that signs in. Users with a second factor are asked for its code when the first one was right. */

import { useState } from 'react'

import { ApiError, NEEDS_TOTP } from '../api/errors.ts'
import type { BodyOf } from '../api/types.ts'
import { lastUser } from '../session/session.ts'
import { type SignInOperation, signInWith } from '../session/sign-in.ts'
import { type Form, type FormSettings, useForm } from '../ui/use-form.tsx'

interface Settings<Values> extends Pick<FormSettings<SignInOperation, Values>, 'paths'> {
  /** Without the code of the second factor. */
  body: (values: Values) => BodyOf<SignInOperation>
  /** `isSame`: no other user was signed in here before. */
  onDone?: (isSame: boolean) => void
}

export function useSignIn<Values extends { totp: string }>(
  id: SignInOperation | ((values: Values) => SignInOperation),
  initial: Values,
  { paths, body, onDone }: Settings<Values>,
): { form: Form<Values>; needsTotp: boolean } {
  const [needsTotp, setNeedsTotp] = useState(false)
  const form = useForm(id, initial, {
    ...(paths && { paths }),
    input: (values) => ({ body: { ...body(values), ...(needsTotp && { totp: values.totp }) } }),
    refreshes: [],
    async send(input, id) {
      const before = lastUser()
      try {
        const login = await signInWith(id, input.body)
        onDone?.(before === undefined || before === login.user.id)
        return login
      } catch (problem) {
        if (problem instanceof ApiError && problem.code === NEEDS_TOTP) setNeedsTotp(true)
        throw problem
      }
    },
  })
  // The first refusal only asks for the code.
  return { form: { ...form, error: form.error?.code === NEEDS_TOTP ? null : form.error }, needsTotp }
}
