/** The interface of mail drivers. */

export interface Mail {
  /** The same in every attempt. It becomes the Message-ID, by which mail systems ignore repetitions. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws GatewayError */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  /** Connects and signs in, but sends nothing. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}
