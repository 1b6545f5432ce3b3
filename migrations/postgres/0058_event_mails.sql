-- EXPAND 0.1.0

CREATE TABLE "mail_choices" (
	"address" text NOT NULL,
	"owner" bigint NOT NULL,
	"choice" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "mail_choices_address_owner_pk" PRIMARY KEY("address","owner")
);

CREATE TABLE "mail_refusals" (
	"address" text PRIMARY KEY NOT NULL,
	"refusals" bigint NOT NULL,
	"last_at" bigint NOT NULL
);

CREATE TABLE "notification_preferences" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"email_activities" text DEFAULT 'ALL' NOT NULL,
	"time_zone" text
);

ALTER TABLE "sessions" ADD COLUMN "locale" text;

ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

CREATE INDEX "mail_choices_owner" ON "mail_choices" USING btree ("owner");

CREATE INDEX "mail_refusals_last" ON "mail_refusals" USING btree ("last_at");
