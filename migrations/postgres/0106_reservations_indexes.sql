-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "asset_loans_notice" ON "asset_loans" USING btree ("notice_at") WHERE "asset_loans"."checked_in_at" is null and "asset_loans"."notice_at" is not null;

CREATE INDEX CONCURRENTLY "asset_loans_reservation" ON "asset_loans" USING btree ("reservation_id") WHERE "asset_loans"."reservation_id" is not null;
