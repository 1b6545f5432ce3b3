-- EXPAND 0.1.0

CREATE INDEX `activity_invitations_used_by` ON `activity_invitations` (`used_by`) WHERE "activity_invitations"."used_by" is not null;
