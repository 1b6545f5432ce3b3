-- EXPAND 0.1.0

CREATE TABLE "qr_links" (
	"qr_code_id" bigint PRIMARY KEY NOT NULL,
	"forward_query" boolean DEFAULT false NOT NULL,
	"warn" boolean DEFAULT false NOT NULL,
	"rules" text NOT NULL,
	"rules_left" text NOT NULL,
	"fallback_url" text,
	"expires_at" bigint,
	"max_scans" bigint,
	"scans_left" bigint,
	"password_hash" text,
	"earlier_scans" bigint DEFAULT 0 NOT NULL
);

CREATE TABLE "qr_slugs" (
	"slug" text PRIMARY KEY NOT NULL,
	"qr_code_id" bigint,
	"user_id" bigint NOT NULL,
	"org_id" bigint DEFAULT 0 NOT NULL,
	"is_custom" boolean DEFAULT false NOT NULL,
	"created_at" bigint NOT NULL
);

ALTER TABLE "qr_codes" ADD COLUMN "slug" text;

ALTER TABLE "qr_codes" ADD COLUMN "opens" text;

ALTER TABLE "qr_codes" ADD COLUMN "design_id" bigint;

ALTER TABLE "qr_codes" ADD COLUMN "blocked_at" bigint;

ALTER TABLE "qr_links" ADD CONSTRAINT "qr_links_qr_code_id_qr_codes_id_fk" FOREIGN KEY ("qr_code_id") REFERENCES "public"."qr_codes"("id") ON DELETE no action ON UPDATE no action;

CREATE INDEX "qr_slugs_code" ON "qr_slugs" USING btree ("qr_code_id","created_at");

CREATE INDEX "qr_slugs_custom" ON "qr_slugs" USING btree ("user_id","org_id") WHERE "qr_slugs"."is_custom";

CREATE INDEX "qr_slugs_org_custom" ON "qr_slugs" USING btree ("org_id") WHERE "qr_slugs"."is_custom";
