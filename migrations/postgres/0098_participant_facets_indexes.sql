-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "registrations_facets" ON "registrations" USING btree ("activity_id",("status" || '.' || "source" || case when "user_id" is null then '.guest' else '' end || case when "has_pass" then '.pass' else '' end || case when "came_in" then '.in' else '' end),"created_at","id");
