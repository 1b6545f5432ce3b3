CREATE INDEX "organizations_discover_name" ON "organizations" USING btree ("visibility","status","name","created_at","id");

CREATE INDEX "organizations_discover_members" ON "organizations" USING btree ("visibility","status","member_count","created_at","id");
