-- EXPAND 0.1.0

CREATE TABLE "content_erasures" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"created_at" bigint NOT NULL
);

CREATE TABLE "data_exports" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"created_by" bigint NOT NULL,
	"with_files" boolean NOT NULL,
	"language" text NOT NULL,
	"state" text NOT NULL,
	"slot" bigint,
	"lease" text DEFAULT '' NOT NULL,
	"lease_until" bigint DEFAULT 0 NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"progress" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint,
	"blob_id" bigint,
	"created_at" bigint NOT NULL,
	"expires_at" bigint
);

ALTER TABLE "content_erasures" ADD CONSTRAINT "content_erasures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

ALTER TABLE "data_exports" ADD CONSTRAINT "data_exports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

ALTER TABLE "data_exports" ADD CONSTRAINT "data_exports_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

ALTER TABLE "data_exports" ADD CONSTRAINT "data_exports_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;

CREATE UNIQUE INDEX "data_exports_slot" ON "data_exports" USING btree ("slot") WHERE "data_exports"."slot" is not null;

CREATE UNIQUE INDEX "data_exports_open" ON "data_exports" USING btree ("user_id","created_by") WHERE state in ('QUEUED', 'RUNNING');

CREATE INDEX "data_exports_user" ON "data_exports" USING btree ("user_id","created_by","created_at");

CREATE INDEX "data_exports_creator" ON "data_exports" USING btree ("created_by");

CREATE INDEX "data_exports_state" ON "data_exports" USING btree ("state","created_at");

CREATE INDEX "data_exports_expiry" ON "data_exports" USING btree ("expires_at");

CREATE INDEX "data_exports_blob" ON "data_exports" USING btree ("blob_id");
