-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "pass_uses_list" ON "pass_uses" USING btree ("list_id","used_at","created_at","id") WHERE "pass_uses"."list_id" is not null;

CREATE INDEX CONCURRENTLY "pass_uses_pass_list" ON "pass_uses" USING btree ("pass_id","list_id","used_at","created_at","id") WHERE "pass_uses"."list_id" is not null;

CREATE INDEX CONCURRENTLY "passes_templates" ON "passes" USING btree ("activity_id","created_at","id") WHERE "passes"."template_id" is not null;
