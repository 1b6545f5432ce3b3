-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "org_invitations_addresses" ON "org_invitations" USING btree ("expires_at") WHERE email IS NOT NULL;
