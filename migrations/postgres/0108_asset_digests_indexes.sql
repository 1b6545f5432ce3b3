-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "asset_maintenance_dues_near" ON "asset_maintenance_dues" USING btree ("owner","soon_on");
