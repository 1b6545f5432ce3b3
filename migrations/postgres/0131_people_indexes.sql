-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "org_invitations_waiting" ON "org_invitations" USING btree ("id") WHERE mail_state = 'WAITING';

-- Unique, but only over columns that the version before does not write.
CREATE UNIQUE INDEX CONCURRENTLY "org_invitations_open_email" ON "org_invitations" USING btree ("org_id","email") WHERE status = 'PENDING' AND email IS NOT NULL;

CREATE UNIQUE INDEX CONCURRENTLY "org_invitations_token" ON "org_invitations" USING btree ("token_hash") WHERE token_hash IS NOT NULL;
