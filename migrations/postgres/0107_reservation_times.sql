-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "asset_reservations_times" ON "asset_reservations" USING btree ("org_id","ends_at","starts_at","id");
