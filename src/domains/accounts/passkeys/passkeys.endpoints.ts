import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { PasskeyCreationOptions, PasskeyRequestOptions } from '../assertions/assertions.model.ts'
import { requestOptions } from '../assertions/assertions.service.ts'
import { LoginResponse } from '../sessions/sessions.model.ts'
import {
  ByPasskey,
  NewPasskey,
  PasskeyChange,
  PasskeyLogin,
  PasskeyRequirement,
  Passkeys,
  PasskeyView,
  RequiredPasskeys,
} from './passkeys.model.ts'
import {
  addPasskey,
  changePasskey,
  listPasskeys,
  passkeyLogin,
  removePasskey,
  setRequired,
  startRegistration,
} from './passkeys.service.ts'

const tag = 'Second factor'
const CONFIRM = 'Code 4031: every user must have signed in or confirmed within the last 10 minutes.'
const UNAVAILABLE = 'The server has no https, or no name.'

export const passkeyEndpoints = [
  endpoint({
    id: 'passkeys.list',
    method: 'GET',
    path: '/api/auth/passkeys',
    summary: 'List your passkeys',
    tag,
    access: signedIn,
    data: Passkeys,
    run: ({ ctx, actor }) => listPasskeys(ctx, actor),
  }),
  endpoint({
    id: 'passkeys.options',
    method: 'POST',
    path: '/api/auth/passkeys/options',
    summary: 'Get the options for a new passkey',
    description: 'For `navigator.credentials.create()`. They work once, in this session and for 5 minutes.',
    tag,
    access: signedIn,
    data: PasskeyCreationOptions,
    refuses: { 400: UNAVAILABLE, 403: CONFIRM },
    ignoresKey: 'Its answer works once.',
    run: ({ ctx, actor }) => startRegistration(ctx, actor),
  }),
  endpoint({
    id: 'passkeys.create',
    method: 'POST',
    path: '/api/auth/passkeys',
    summary: 'Add a passkey',
    description: 'With the answer of the authenticator. It can sign in from then on. At most 20; you are notified.',
    tag,
    access: signedIn,
    body: NewPasskey,
    data: PasskeyView,
    refuses: {
      400: 'The body is not valid, the answer does not fit the options, the passkey is registered already, or you have 20.',
    },
    ignoresKey: 'A challenge works once.',
    run: ({ ctx, actor, body, caller }) => addPasskey(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'passkeys.require',
    method: 'PUT',
    path: '/api/auth/passkeys/required',
    summary: 'Set whether your sign-ins ask for a passkey',
    description:
      'If they are, every sign-in asks for a passkey, a code of your authenticator app or a recovery code. Switching it on takes a passkey, ' +
      'ends your other sessions, and answers recovery codes if you had none.',
    tag,
    access: signedIn,
    body: PasskeyRequirement,
    data: RequiredPasskeys,
    refuses: { 400: 'The body is not valid, or you have no passkey.', 403: CONFIRM },
    run: ({ ctx, actor, body, caller }) => setRequired(ctx, actor, body.required, caller),
  }),
  endpoint({
    id: 'passkeys.update',
    method: 'PUT',
    path: '/api/auth/passkeys/:id',
    summary: 'Rename a passkey',
    tag,
    access: signedIn,
    params: ByPasskey,
    body: PasskeyChange,
    data: PasskeyView,
    refuses: { 400: 'The body is not valid, or the passkey is suspect: it can only be removed.' },
    run: ({ ctx, actor, params, body, caller }) => changePasskey(ctx, actor, params.id, body.name, caller),
  }),
  endpoint({
    id: 'passkeys.delete',
    method: 'DELETE',
    path: '/api/auth/passkeys/:id',
    summary: 'Remove a passkey',
    description: 'It opens nothing from then on. Trusted devices need the second factor again.',
    tag,
    access: signedIn,
    params: ByPasskey,
    refuses: { 400: 'It is the last one, and your sign-in requires one.', 403: CONFIRM },
    run: ({ ctx, actor, params, caller }) => removePasskey(ctx, actor, params.id, caller),
  }),
  endpoint({
    id: 'auth.passkeyOptions',
    method: 'POST',
    path: '/api/auth/passkey-login/options',
    summary: 'Get a challenge for signing in with a passkey',
    description:
      'For `navigator.credentials.get()`: to sign in, as second factor of another sign-in, and to confirm. The same for everybody. It works ' +
      'once and for 5 minutes. As second factor you may ask the authenticator for less and set `userVerification` to `preferred`.',
    tag: 'Signing in',
    access: open,
    data: PasskeyRequestOptions,
    refuses: { 400: UNAVAILABLE },
    run: ({ ctx }) => requestOptions(ctx),
  }),
  endpoint({
    id: 'auth.passkeyLogin',
    method: 'POST',
    path: '/api/auth/passkey-login',
    summary: 'Sign in with a passkey',
    description:
      'The authenticator must have checked its user (PIN, finger, face). So it is both factors. It never creates an account. Name the device ' +
      'with `X-Device-Id` or in the body, as at other sign-ins.',
    tag: 'Signing in',
    access: open,
    checksSecret: true,
    body: PasskeyLogin,
    data: LoginResponse,
    keepsCookies: true,
    refuses: {
      400: 'The passkey is unknown, or its answer does not fit. With code 4033: there may be a copy of it.',
      403: 'The account is disabled.',
    },
    namesDevice: true,
    run: ({ ctx, body, caller }) => passkeyLogin(ctx, body, caller),
  }),
]
