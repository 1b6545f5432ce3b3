-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "registrations_pending" ON "registrations" USING btree ("created_at","id") WHERE "registrations"."status" = 'PENDING';

CREATE INDEX CONCURRENTLY "registrations_cancelled_guests" ON "registrations" USING btree ("updated_at","id") WHERE "registrations"."status" = 'CANCELLED' and "registrations"."user_id" is null and "registrations"."erased_at" is null;

CREATE INDEX CONCURRENTLY "registrations_guests" ON "registrations" USING btree ("activity_id","id") WHERE "registrations"."user_id" is null and "registrations"."erased_at" is null;

CREATE INDEX CONCURRENTLY "registrations_address" ON "registrations" USING btree ("email") WHERE "registrations"."user_id" is null and "registrations"."email" is not null;
