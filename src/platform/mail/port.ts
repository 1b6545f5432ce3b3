/** What sends e-mail. */

export interface Mail {
  /** The same each time this mail is tried: it becomes the Message-ID, by which mail systems drop repetitions. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  /** Resolves when the server has taken the mail. @throws GatewayError */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  /** Connects and signs in; sends nothing. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}
