CREATE TABLE "notification_send_recipients" (
	"send_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "notification_send_recipients_send_id_user_id_pk" PRIMARY KEY("send_id","user_id")
);

CREATE TABLE "org_transfers" (
	"org_id" bigint NOT NULL,
	"candidate_id" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "org_transfers_org_id_pk" PRIMARY KEY("org_id")
);

ALTER TABLE "notification_sends" ADD COLUMN "listed" boolean DEFAULT false NOT NULL;

ALTER TABLE "notifications" ADD COLUMN "subject" text;

ALTER TABLE "notification_send_recipients" ADD CONSTRAINT "notification_send_recipients_send_id_notification_sends_id_fk" FOREIGN KEY ("send_id") REFERENCES "public"."notification_sends"("id") ON DELETE no action ON UPDATE no action;

ALTER TABLE "notification_send_recipients" ADD CONSTRAINT "notification_send_recipients_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

ALTER TABLE "org_transfers" ADD CONSTRAINT "org_transfers_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;

ALTER TABLE "org_transfers" ADD CONSTRAINT "org_transfers_candidate_id_users_id_fk" FOREIGN KEY ("candidate_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

CREATE UNIQUE INDEX "notifications_subject" ON "notifications" USING btree ("user_id","subject") WHERE subject is not null;
