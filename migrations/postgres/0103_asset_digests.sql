-- EXPAND 0.1.0

CREATE TABLE "asset_digest_runs" (
	"id" bigint PRIMARY KEY NOT NULL,
	"up_to" bigint NOT NULL
);

CREATE TABLE "asset_digests" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"day" text NOT NULL
);

ALTER TABLE "notification_preferences" ADD COLUMN "email_assets" text DEFAULT 'DAILY' NOT NULL;

ALTER TABLE "notification_preferences" ADD COLUMN "digest_hour" bigint DEFAULT 7 NOT NULL;

ALTER TABLE "asset_digests" ADD CONSTRAINT "asset_digests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;
