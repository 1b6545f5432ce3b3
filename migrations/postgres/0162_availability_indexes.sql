-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "assets_bookable" ON "assets" USING btree ("owner","asset_no","id","category_id","bookable") WHERE "assets"."deleted_at" is null and "assets"."status" in ('IN_USE', 'IDLE');

CREATE INDEX CONCURRENTLY "supply_movements_type" ON "supply_movements" USING btree ("owner","type","id");

CREATE INDEX CONCURRENTLY "supply_movements_supply_type" ON "supply_movements" USING btree ("supply_id","type","id");

CREATE INDEX CONCURRENTLY "supply_movements_time" ON "supply_movements" USING btree ("owner","created_at","id");
