-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "org_locations_uuid" ON "org_locations" USING btree ("uuid");
