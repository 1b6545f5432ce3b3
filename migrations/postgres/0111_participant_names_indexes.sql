-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "registrations_names" ON "registrations" USING btree ("activity_id",("sort_name" collate "C"),"created_at","id","status") WHERE "registrations"."status" <> 'PENDING';

CREATE INDEX CONCURRENTLY "registrations_unnamed" ON "registrations" USING btree ("id") WHERE "registrations"."sort_name" is null;
