DROP INDEX "qr_codes_org";

DROP INDEX "scan_records_list";

CREATE INDEX "qr_codes_created" ON "qr_codes" USING btree ("user_id","deleted_at","created_at","id") WHERE "qr_codes"."org_id" = 0;

CREATE INDEX "qr_codes_updated" ON "qr_codes" USING btree ("user_id","deleted_at","updated_at","created_at","id") WHERE "qr_codes"."org_id" = 0;

CREATE INDEX "qr_codes_name" ON "qr_codes" USING btree ("user_id","deleted_at","name","created_at","id") WHERE "qr_codes"."org_id" = 0;

CREATE INDEX "qr_codes_scans" ON "qr_codes" USING btree ("user_id","deleted_at","scan_count","created_at","id") WHERE "qr_codes"."org_id" = 0;

CREATE INDEX "qr_codes_org_list" ON "qr_codes" USING btree ("org_id","deleted_at","pinned" desc,"sort_order","created_at","id") WHERE "qr_codes"."org_id" <> 0;

CREATE INDEX "qr_codes_org_created" ON "qr_codes" USING btree ("org_id","deleted_at","created_at","id") WHERE "qr_codes"."org_id" <> 0;

CREATE INDEX "qr_codes_org_updated" ON "qr_codes" USING btree ("org_id","deleted_at","updated_at","created_at","id") WHERE "qr_codes"."org_id" <> 0;

CREATE INDEX "qr_codes_org_name" ON "qr_codes" USING btree ("org_id","deleted_at","name","created_at","id") WHERE "qr_codes"."org_id" <> 0;

CREATE INDEX "qr_codes_org_scans" ON "qr_codes" USING btree ("org_id","deleted_at","scan_count","created_at","id") WHERE "qr_codes"."org_id" <> 0;

CREATE INDEX "scan_records_list" ON "scan_records" USING btree ("user_id","scanned_at" desc,"created_at" desc,"id" desc);
