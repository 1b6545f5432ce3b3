ALTER TABLE "qr_codes" ADD COLUMN "is_dynamic" boolean DEFAULT false NOT NULL;

CREATE INDEX "org_shares_source" ON "org_shares" USING btree ("org_id","entity_type","source_id");

CREATE INDEX "qr_codes_content" ON "qr_codes" USING btree ("user_id",(md5("content")),"deleted_at","id") WHERE "qr_codes"."org_id" = 0;

CREATE INDEX "qr_codes_org_content" ON "qr_codes" USING btree ("org_id",(md5("content")),"deleted_at","id") WHERE "qr_codes"."org_id" <> 0;
