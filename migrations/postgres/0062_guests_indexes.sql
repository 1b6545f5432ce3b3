-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "registrations_waiting" ON "registrations" USING btree ("activity_id",coalesce("wait_order", "created_at"),"id") WHERE "registrations"."status" = 'WAITING';

CREATE UNIQUE INDEX CONCURRENTLY "registrations_guest" ON "registrations" USING btree ("activity_id","email") WHERE "registrations"."user_id" is null and "registrations"."email" is not null;

CREATE UNIQUE INDEX CONCURRENTLY "registrations_secret" ON "registrations" USING btree ("secret_hash") WHERE "registrations"."secret_hash" is not null;

CREATE INDEX CONCURRENTLY "registrations_listed" ON "registrations" USING btree ("activity_id","created_at","id") WHERE "registrations"."status" <> 'PENDING';

CREATE INDEX CONCURRENTLY "registrations_ids" ON "registrations" USING btree ("activity_id","id");

CREATE INDEX CONCURRENTLY "check_ins_registration" ON "check_ins" USING btree ("registration_id","checked_in_at") WHERE "check_ins"."registration_id" is not null;

CREATE INDEX CONCURRENTLY "passes_registration" ON "passes" USING btree ("registration_id","id") WHERE "passes"."registration_id" is not null;
