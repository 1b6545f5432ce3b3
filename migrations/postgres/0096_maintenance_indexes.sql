-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "assets_maintenance" ON "assets" USING btree ("owner","deleted_at","next_maintenance","created_at","id");

CREATE INDEX CONCURRENTLY "assets_count" ON "assets" USING btree ("owner","next_count_on","id") WHERE "assets"."deleted_at" is null and "assets"."next_count_on" is not null;

CREATE INDEX CONCURRENTLY "inventories_counting" ON "inventories" USING btree ("id") WHERE "inventories"."counted_up_to" is not null;
