-- EXPAND 0.1.0

CREATE INDEX `org_invitations_addresses` ON `org_invitations` (`expires_at`) WHERE email IS NOT NULL;
