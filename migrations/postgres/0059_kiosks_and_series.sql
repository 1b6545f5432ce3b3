-- EXPAND 0.1.0

CREATE TABLE "activity_kiosks" (
	"activity_id" bigint PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"secret" text NOT NULL,
	"created_at" bigint NOT NULL
);

ALTER TABLE "activities" ADD COLUMN "series_id" text;

ALTER TABLE "activity_kiosks" ADD CONSTRAINT "activity_kiosks_activity_id_activities_id_fk" FOREIGN KEY ("activity_id") REFERENCES "public"."activities"("id") ON DELETE no action ON UPDATE no action;

CREATE UNIQUE INDEX "activity_kiosks_secret" ON "activity_kiosks" USING btree ("secret_hash");
