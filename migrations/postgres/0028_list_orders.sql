DROP INDEX "assets_all";

DROP INDEX "passes_list";

CREATE INDEX "assets_all" ON "assets" USING btree ("created_at","id") WHERE "assets"."deleted_at" is null;

CREATE INDEX "passes_list" ON "passes" USING btree ("activity_id","deleted_at","id");
