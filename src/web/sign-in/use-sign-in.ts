/** A form that signs in. Users with a second factor are asked for it when the first one was right. */

import { useState } from 'react'

import { ApiError, NEEDS_TOTP } from '../api/errors.ts'
import type { BodyOf } from '../api/types.ts'
import type { PasskeyAnswer } from '../session/passkeys.ts'
import { lastUser } from '../session/session.ts'
import { type SignInOperation, signInWith } from '../session/sign-in.ts'
import { type Form, type FormSettings, useForm } from '../ui/use-form.tsx'

/** The values of the second factor: a code or a passkey, and whether the device is trusted from then on. */
export interface FactorValues {
  totp: string
  passkey: PasskeyAnswer | null
  trustDevice: boolean
}
export const NO_FACTOR: FactorValues = { totp: '', passkey: null, trustDevice: false }

interface Settings<Values> extends Pick<FormSettings<SignInOperation, Values>, 'paths'> {
  /** Without the code of the second factor. */
  body: (values: Values) => BodyOf<SignInOperation>
  /** `isSame`: no other user was signed in here before. */
  onDone?: (isSame: boolean) => void
}

export function useSignIn<Values extends FactorValues>(
  id: SignInOperation | ((values: Values) => SignInOperation),
  initial: Values,
  { paths, body, onDone }: Settings<Values>,
): {
  form: Form<Values>
  /** The ways to give the second factor, once it is asked for. */
  ways: readonly string[] | undefined
} {
  const [ways, setWays] = useState<readonly string[]>()
  const form = useForm(id, initial, {
    // A refused passkey is no problem of a field.
    paths: { ...paths, passkey: [] as readonly string[] } as NonNullable<typeof paths>,
    input: (values) => ({ body: { ...body(values), ...(ways && factorOf(values)) } }),
    refreshes: [],
    async send(input, id) {
      const before = lastUser()
      try {
        const login = await signInWith(id, input.body)
        onDone?.(before === undefined || before === login.user.id)
        return login
      } catch (problem) {
        if (problem instanceof ApiError && problem.code === NEEDS_TOTP) setWays(problem.details.map(({ path }) => path))
        throw problem
      }
    },
  })
  // The first refusal only asks for the second factor.
  return { form: { ...form, error: form.error?.code === NEEDS_TOTP ? null : form.error }, ways }
}

const factorOf = ({ totp, passkey, trustDevice }: FactorValues) => ({
  ...(totp === '' && passkey !== null ? { passkey } : { totp }),
  trustDevice,
})
